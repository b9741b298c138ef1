import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Problem } from './problem.ts';

/**
 * Takes an exclusive lock on `dir`. A lock whose process has ended or was killed is ignored.
 * @returns a function that releases it. @throws Problem if another process holds it or the folder is not writable.
 */
export function takeLock(dir: string): () => void {
  const lock = join(dir, 'lock');
  const own = `${lock}.${process.pid}`;
  const identity = identityOf(process.pid);
  try {
    openFolder(dir);
    writeFileSync(own, identity);
  } catch (error) {
    throw new Problem(
      `${dir} cannot be written (${(error as Error).message}). Set STANDALONE_DIR to a writable folder.`,
    );
  }
  try {
    for (let attempt = 1; !tryLink(own, lock); attempt++) {
      const holder = read(lock);
      const pid = Number(holder.split(' ')[0]);
      if (attempt > 5 || (pid && identityOf(pid) === holder)) {
        throw new Problem(
          `Already running in ${dir} (pid ${pid}). Stop it first, or set STANDALONE_DIR and PORT to run a second one.`,
        );
      }
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
  return () => {
    // The folder may have been deleted and created again by another installation.
    if (read(lock) === identity) rmSync(lock, { force: true });
  };
}

/** Makes our own folder traversable: when started by root, PostgreSQL runs as another user. */
function openFolder(dir: string): void {
  makeFolder(dir);
  if (readdirSync(dir).length === 0) chmodSync(dir, 0o711);
}

/** With its parents. Node's own `recursive` never returns where a file system refuses folders with ENOENT, as /proc does. */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  makeFolder(dirname(dir));
  mkdirSync(dir);
}

/** Atomic, and with its content from the start. */
function tryLink(own: string, lock: string): boolean {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A pid with its start time, because pids are reused. Empty if the process does not run. */
function identityOf(pid: number): string {
  try {
    // The second field, the name in parentheses, may itself hold spaces. The third is the state, the 22nd the start.
    const stat = read(`/proc/${pid}/stat`);
    const [, state, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
    if (stat) return state === 'Z' ? '' : `${pid} ${fields[18]}`;
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    return `${pid} ${String(started).trim()}`;
  } catch {
    return '';
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
