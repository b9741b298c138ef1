import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removePostgres } from '@pts/embedded/postgres';
import { StartupError } from './options.ts';

const LOOK_EVERY_MS = 250;

export type Folder = {
  /** Checks now whether one of the paths was deleted or replaced. */
  isGone(): boolean;
  stop(): void;
};

/** Watches files and folders, and calls `onGone` once if one is deleted or replaced. */
export function watchFolder(paths: readonly string[], onGone: () => void, everyMs = LOOK_EVERY_MS): Folder {
  const known = paths.map((path) => ({ path, identity: identityOf(path) }));
  let gone = false;
  let stopped = false;
  const isGone = () => {
    if (gone || stopped) return gone;
    gone = known.some(({ path, identity }) => identityOf(path, identity) !== identity);
    if (gone) {
      stop();
      onGone();
    }
    return gone;
  };
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  const timer = setInterval(isGone, everyMs).unref();
  return { isGone, stop };
}

/** Empty if there is none; `unknown` if that cannot be determined now. */
function identityOf(path: string, unknown = ''): string {
  try {
    // With its creation time: file systems reuse inode numbers.
    const { dev, ino, birthtimeNs } = statSync(path, { bigint: true });
    return `${dev} ${ino} ${birthtimeNs}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? '' : unknown;
  }
}

type Files = ReturnType<typeof filesIn>;

/** The files of an installation. */
export function filesIn(dir: string) {
  return {
    postgres: join(dir, 'postgres'),
    demoKey: join(dir, 'demo-key'),
    encryptionKey: join(dir, 'encryption-key'),
    callbackSecret: join(dir, 'callback-secret'),
    sandboxState: join(dir, 'sandbox-state.json'),
    ready: join(dir, 'ready.json'),
    lock: join(dir, 'lock'),
  };
}

/** Whether a folder contains only our files. */
function isOurs(dir: string): boolean {
  const ours = [...Object.values(filesIn(dir)).map((file) => basename(file)), '.gitignore'];
  return readdirSync(dir).every((name) => ours.some((own) => name === own || name.startsWith(`${own}.`)));
}

/**
 * Lets nobody else read the files of an installation, nor those that its processes will write. Started by root,
 * PostgreSQL runs as another user, who must be able to enter the folder.
 */
export function keepPrivate(dir: string): void {
  process.umask(0o077);
  if (isOurs(dir)) chmodSync(dir, process.getuid?.() === 0 ? 0o711 : 0o700);
  // PostgreSQL sets the modes of its own.
  const { postgres: _postgres, ...files } = filesIn(dir);
  for (const file of [...Object.values(files), join(dir, '.gitignore')]) if (existsSync(file)) chmodSync(file, 0o600);
}

/** Keeps data and keys out of git, unless the folder also contains other files. */
export function ignoreInGit(dir: string): void {
  if (isOurs(dir)) writeFileSync(join(dir, '.gitignore'), '*\n');
}

/** Resets an installation. Deletes only our files: the folder may contain others. */
export async function wipe(files: Files, say: (line: string) => void): Promise<void> {
  say('deleting the embedded database and the demo account');
  await removePostgres(files.postgres, say);
  for (const file of [files.demoKey, files.encryptionKey, files.callbackSecret, files.sandboxState, files.ready])
    rmSync(file, { force: true });
}

/** Reads a secret from a file with private permissions; null if there is none yet. */
export function readSecret(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

export function keepSecret(file: string, secret: string): string {
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/**
 * The encryption key: the given one, or that of the file. The first one is kept, so that later starts and the commands
 * beside this one have it too; another one never replaces it.
 */
export function keepEncryptionKey(file: string, given: string | undefined, say: (line: string) => void): string {
  const kept = readSecret(file) ?? keepSecret(file, given ?? randomBytes(32).toString('base64'));
  if (given !== undefined && given !== kept) say(`using ENCRYPTION_KEY instead of the key in ${file}`);
  return given ?? kept;
}

/**
 * Takes an exclusive lock on `dir`. A lock whose process has ended or was killed is ignored.
 * @returns a function that releases it. @throws StartupError if another process holds it or the folder is not writable.
 */
export function takeLock(dir: string): () => void {
  const lock = join(dir, 'lock');
  const own = `${lock}.${process.pid}`;
  const identity = startOfProcess(process.pid);
  try {
    openFolder(dir);
    writeFileSync(own, identity);
  } catch (error) {
    throw new StartupError(
      `${dir} cannot be written (${(error as Error).message}). Set STANDALONE_DIR to a writable folder.`,
    );
  }
  try {
    for (let attempt = 1; !claim(own, lock); attempt++) {
      const pid = liveHolder(lock) ?? liveHolder(guardOf(lock));
      if (pid !== undefined || attempt > 5) {
        throw new StartupError(
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

/**
 * Makes a folder and its parents. Node's own `recursive` never returns where a file system refuses folders with ENOENT,
 * as /proc does.
 */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return;
  makeFolder(dirname(dir));
  mkdirSync(dir);
}

/**
 * Takes a lock if nobody has it; a stale one is removed, and can be taken the next time. Atomic, and with its content
 * from the start.
 */
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

/**
 * Under a lock of its own: otherwise, two processes might do so, and the slower one would remove the lock that was
 * taken in between.
 */
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
  return pid > 0 && startOfProcess(pid) === identity ? pid : undefined;
}

/** A pid with its start time, because pids are reused. Empty if the process does not run. */
function startOfProcess(pid: number): string {
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

export type Ready = {
  base_url: string;
  api_key: string;
  sandbox_url: string;
  database_url: string;
  redis_url: string | null;
  settings: Readonly<Record<string, string | undefined>>;
};

/** The banner for programs. The file is written atomically once everything runs. */
export function writeReadyFile(file: string, ready: Ready): void {
  writeFileSync(`${file}.partial`, `${JSON.stringify(ready, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.partial`, file);
}
