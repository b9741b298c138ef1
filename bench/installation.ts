import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Db, openDatabase } from '@pts/db/connection';
import { startPostgres } from '@pts/embedded/postgres';
import { NODE_FLAGS } from '@pts/runtime/process/node-flags';
import { type App, endProcess, freeAddresses, works } from '@pts/testing/app-process';
import { createDatabase, migrateDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startRedis } from '@pts/testing/servers/redis';
import { Redis } from 'ioredis';
import { tuning } from '../tests/support/tuning.ts';
import { type Figure, figure, parseSamples, type Samples } from './figure.ts';

type Group = App | 'postgres' | 'redis';
export type UsageByGroup = Partial<Record<Group, Usage>>;

export type Installation = {
  db: Db;
  /** The URL of the API, if it runs. */
  apiUrl: string;
  /** The store of the jobs. */
  queue: { redisUrl: string | undefined; databaseUrl: string; prefix: string };
  /** The running programs. */
  apps: readonly App[];
  usage(): UsageByGroup;
  /** The metrics of all processes of a program. */
  metrics(app: App): Promise<Samples[]>;
  /** Bytes of WAL that the server has written so far. */
  walBytes(): Promise<number>;
  close(): Promise<void>;
};

type Options = {
  databaseUrl: string;
  /** Undefined: the jobs are in PostgreSQL. */
  redisUrl: string | undefined;
  /** How many processes of each program. */
  apps: Partial<Record<App, number>>;
  /** The carrier; absent: the sandbox that is among the apps. */
  carrierUrl?: string;
  env?: Readonly<Record<string, string>>;
};

/** Starts the built services, as many of each as wanted, on a migrated database. */
export async function openInstallation(options: Options): Promise<Installation> {
  const { databaseUrl, redisUrl, apps, env = {} } = options;
  const processes: Awaited<ReturnType<typeof startApp>>[] = [];
  const prefix = `{bench-${randomBytes(6).toString('hex')}}`;
  const db = openDatabase({ url: databaseUrl, poolSize: 10 });
  const serverPids = await pidsOfServers(db, redisUrl);
  const settings = {
    DATABASE_URL: databaseUrl,
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
    QUEUE_PREFIX: prefix,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMITS: 'off',
    // A busy machine must not look like a database with an outage.
    ...tuning(),
    QUOTA_ENTERPRISE: '2000000000',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1/32',
    ...env,
  };
  try {
    let sandboxUrl = options.carrierUrl ?? '';
    // The carrier starts first: the others need its address.
    for (const app of ['sandbox-carrier', 'api', 'webhook-dispatcher', 'carrier-poller'] as const)
      for (let n = 0; n < (apps[app] ?? 0); n++) {
        const started = await startApp(app, { ...settings, SANDBOX_URL: sandboxUrl });
        processes.push(started);
        if (app === 'sandbox-carrier') sandboxUrl = started.url;
      }
  } catch (error) {
    await Promise.all([...processes.map((each) => each.stop()), db.$disconnect()]);
    throw error;
  }
  const of = (app: App) => processes.filter((each) => each.app === app);
  const names = [...new Set(processes.map(({ app }) => app))];
  return {
    db,
    apiUrl: of('api')[0]?.url ?? '',
    queue: { redisUrl, databaseUrl, prefix },
    apps: names,
    usage: () => ({
      ...Object.fromEntries(names.map((app) => [app, sumOf(of(app).map(({ pid }) => usageOf(pid)))])),
      ...Object.fromEntries(Object.entries(serverPids).map(([name, pid]) => [name, usageOf(pid)])),
    }),
    metrics: (app) => Promise.all(of(app).map((each) => each.metrics())),
    walBytes: async () => {
      const [row] = await db.$queryRaw<{ bytes: number }[]>`
        SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS bytes`;
      return row?.bytes ?? 0;
    },
    close: async () => {
      await Promise.all(processes.map((each) => each.stop()));
      await db.$disconnect();
    },
  };
}

/** The processes of the servers, if they run on this machine. */
async function pidsOfServers(db: Db, redisUrl: string | undefined): Promise<{ postgres: number; redis?: number }> {
  const [row] = await db.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  const postgres = parentOf(row?.pid ?? 0);
  if (redisUrl === undefined) return { postgres };
  const redis = new Redis(redisUrl, { lazyConnect: true });
  const info = await redis.info('server');
  redis.disconnect();
  return { postgres, redis: Number(/process_id:(\d+)/.exec(info)?.[1] ?? 0) };
}

/** Milliseconds of CPU between two readings, over the groups that are named. */
export function cpuBetween(before: UsageByGroup, after: UsageByGroup, groups = Object.keys(after) as Group[]): number {
  return groups.reduce((sum, group) => sum + (after[group]?.cpuMs ?? 0) - (before[group]?.cpuMs ?? 0), 0);
}

/**
 * Milliseconds of CPU per event between two readings, with what is used while nothing happens: in all, and of each
 * group.
 */
export function splitCpu(
  name: string,
  before: UsageByGroup,
  after: UsageByGroup,
  events: number,
  goalMs: number,
): Figure[] {
  const perEvent = (title: string, groups?: Group[]) =>
    figure(title, cpuBetween(before, after, groups) / events, goalMs, 'ms of CPU per event');
  return [perEvent(name), ...(Object.keys(after) as Group[]).map((group) => perEvent(`${name}, ${group}`, [group]))];
}

/** The bundle of the benchmarks is as deep below the root as this file. */
const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');

/** Starts a built service with these settings and no others, and waits until it is ready. Its log goes to a file. */
async function startApp(app: App, env: Readonly<Record<string, string>>) {
  const addresses = await freeAddresses();
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-'));
  const log = openSync(join(dir, 'log'), 'w');
  const child = spawn(
    process.execPath,
    ['--enable-source-maps', ...NODE_FLAGS, join(ROOT, `apps/${app}/dist/${app}.mjs`)],
    {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...addresses.env, ...env },
      stdio: ['ignore', log, log],
    },
  );
  closeSync(log);
  // Waiting for its end must not keep this process running.
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const isReady = async () => {
    if (child.exitCode !== null) return;
    if (!(await works(app, addresses))) throw new Error(`${app} is not ready`);
  };
  await eventually(isReady, { deadlineMs: 60_000, everyMs: 50 });
  if (child.exitCode !== null) throw new Error(`${app} has ended:\n${readFileSync(join(dir, 'log'), 'utf8')}`);
  return {
    app,
    pid: child.pid ?? 0,
    /** Where the API and the sandbox carrier listen. */
    url: addresses.url,
    metrics: async () => parseSamples(await (await fetch(`${addresses.managementUrl}/metrics`)).text()),
    stop: async () => {
      process.off('exit', kill);
      await endProcess(child);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The settings that docs/scaling.md recommends from a million parcels on, with less memory. */
const PRODUCTION = { shared_buffers: '2GB', checkpoint_timeout: '30min', max_wal_size: '16GB' };

/**
 * Starts a PostgreSQL that keeps its data safe, unlike that of tests, and a Redis, with the settings of production:
 * what is committed is on disk.
 */
export async function startDurableServers(settings: Readonly<Record<string, string>> = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-postgres-'));
  const postgres = await startPostgres({ dir, persistent: true, settings: { ...PRODUCTION, ...settings } });
  const redis = await startRedis({ log: console.error });
  return {
    redisUrl: redis.url,
    /** A migrated database without a row. */
    async newDatabase() {
      const { url, close } = await createDatabase(postgres.url);
      await migrateDatabase(url);
      return { url, drop: close };
    },
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** CPU time and memory of processes. Linux only. */
type Usage = { cpuMs: number; memoryBytes: number };

/** From `/proc/<pid>/stat`: its own ticks, and those of its children that have ended. */
type ProcessStat = { ppid: number; ticks: number; endedTicks: number };

/** A tick of the kernel's accounting: `getconf CLK_TCK` is 100 on all usual systems. */
const TICK_MS = 10;

/** The usage of a process and of all its descendants, including those that have ended. Shared memory counts once. */
function usageOf(pid: number): Usage {
  const stats = allStats();
  const pids = withDescendants(pid, stats);
  const root = stats.get(pid);
  const ticks = pids.reduce((sum, each) => sum + (stats.get(each)?.ticks ?? 0), root?.endedTicks ?? 0);
  const memory = pids.map(memoryOf);
  const shared = Math.max(0, ...memory.map((each) => each.shared));
  return { cpuMs: ticks * TICK_MS, memoryBytes: memory.reduce((sum, each) => sum + each.own, shared) };
}

/** Adds up the usage of several processes. */
function sumOf(usages: readonly Usage[]): Usage {
  return usages.reduce((sum, { cpuMs, memoryBytes }) => ({
    cpuMs: sum.cpuMs + cpuMs,
    memoryBytes: sum.memoryBytes + memoryBytes,
  }));
}

/** @throws if the text is not from that file. */
export function parseStat(text: string): ProcessStat {
  // The name in parentheses may have spaces and parentheses itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const number = (place: number) => {
    const value = Number(fields[place - 3]);
    if (!Number.isFinite(value)) throw new Error(`field ${place} of a process is not a number`);
    return value;
  };
  return { ppid: number(4), ticks: number(14) + number(15), endedTicks: number(16) + number(17) };
}

/** The parent of a process. */
function parentOf(pid: number): number {
  return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8')).ppid;
}

function withDescendants(pid: number, stats: ReadonlyMap<number, ProcessStat>): number[] {
  const found = [pid];
  // The list grows while it is read.
  for (const parent of found) for (const [child, { ppid }] of stats) if (ppid === parent) found.push(child);
  return found;
}

function allStats(): Map<number, ProcessStat> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      const text = readOf(pid, 'stat');
      return text === '' ? [] : [[Number(pid), parseStat(text)] as const];
    }),
  );
}

function memoryOf(pid: number): { own: number; shared: number } {
  const status = readOf(String(pid), 'status');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) * 1024;
  return { own: bytes('RssAnon'), shared: bytes('RssFile') + bytes('RssShmem') };
}

/** A process may end while it is inspected. */
function readOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
