import { randomBytes } from 'node:crypto';
import { type Db, openDatabase } from '@pts/db/connection/client';
import type { App } from '@pts/testing/app-process';
import { Redis } from 'ioredis';
import { tuning } from '../../tests/support/tuning.ts';
import { type Figure, figure } from './figure.ts';
import { type AppProcess, startApp } from './processes.ts';
import type { Samples } from './samples.ts';
import { parentOf, sumOf, type Usage, usageOf } from './usage.ts';

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
  const processes: AppProcess[] = [];
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

/** Milliseconds of CPU per event between two readings, with what is used while nothing happens: in all, and of each group. */
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
