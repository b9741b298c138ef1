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
    for (let attempt = 1; !claim(own, lock); attempt++) {
      const pid = liveHolder(lock) ?? liveHolder(guardOf(lock));
      if (pid !== undefined || attempt > 5) {
        throw new Problem(
          `Already running in ${dir} (pid ${pid ?? 'unknown'}). Stop it first, or set STANDALONE_DIR and PORT to run a second one.`,
        );
      }
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

/** Takes a lock if nobody has it; a stale one is removed, and can be taken the next time. Atomic, and with its content from the start. */
function claim(own: string, lock: string): boolean {
  try {
    linkSync(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (isStale(lock)) removeStale(own, lock);
    return false;
  }
}

/** Under a lock of its own: otherwise, two processes might do so, and the slower one would remove the lock that was taken in between. */
function removeStale(own: string, lock: string): void {
  const guard = guardOf(lock);
  if (!claim(own, guard)) return;
  try {
    if (isStale(lock)) rmSync(lock, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

const guardOf = (lock: string) => `${lock}.stale`;

/** Whether a lock exists, but not the process that holds it. */
function isStale(lock: string): boolean {
  const identity = read(lock);
  return identity !== undefined && pidOf(identity) === undefined;
}

/** The pid of the process that holds a lock; undefined if there is none that runs. */
function liveHolder(lock: string): number | undefined {
  return pidOf(read(lock) ?? '');
}

function pidOf(identity: string): number | undefined {
  const pid = Number(identity.split(' ')[0]);
  return pid > 0 && identityOf(pid) === identity ? pid : undefined;
}

/** A pid with its start time, because pids are reused. Empty if the process does not run. */
function identityOf(pid: number): string {
  try {
    // The second field, the name in parentheses, may itself hold spaces. The third is the state, the 22nd the start.
    const stat = read(`/proc/${pid}/stat`) ?? '';
    const [, state, ...fields] = stat.slice(stat.lastIndexOf(')')).split(' ');
    if (stat) return state === 'Z' ? '' : `${pid} ${fields[18]}`;
    const started = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
    return `${pid} ${String(started).trim()}`;
  } catch {
    return '';
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
