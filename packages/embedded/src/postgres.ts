import { chownSync, closeSync, existsSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { createCluster } from './postgres-cluster.ts';
import { type Home, openHome, removeHome } from './postgres-home.ts';
import { runningServer, stopOrphan } from './postgres-orphan.ts';
import { readFromStart } from './read-from-start.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import { Tether } from './tether.ts';

export type PostgresOptions = {
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

  /** Another process may bind a free port before PostgreSQL does; children of a killed server take a moment to notice. */
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
