import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '@pts/db/connection';
import { createAccount } from '@pts/service/accounts';
import { type App, endProcess, freeAddresses, PROCESSES } from '@pts/testing/app-process';
import { PATIENT } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startGate } from '@pts/testing/network-faults';
import { findRedis, startRedis } from '@pts/testing/servers/redis';
import { type RedundantRedis, startRedisCluster, startRedisSentinel } from '@pts/testing/servers/redis-failover';
import { Redis } from 'ioredis';
import { tuning } from '../../tests/support/tuning.ts';
import type { Endpoint, FeedReader, Push } from '../ledger/facts.ts';
import { type Call, createBalancer, type Merchant } from '../load/merchants.ts';
import { KUAIDI100_COURIER } from '../load/parcels.ts';
import type { FromReceiver, Manner, ToReceiver } from '../receiver/messages.ts';
import { createTimeline, type Timeline } from '../timeline.ts';
import { KUAIDI100, startWorldCarriers, type WorldCarriers } from './carriers.ts';
import { startWorldPostgres, type WorldPostgres } from './postgres.ts';
import { type Replica, startReplica } from './replica.ts';

/** An installation with two replicas of each process, its servers, carriers, merchants and receivers. */
export type World = {
  store: WorldStore;
  timeline: Timeline;
  postgres: WorldPostgres;
  /** On the store `redis`. */
  redis: WorldRedis | null;
  /** A Redis with Sentinels, or a Redis Cluster. */
  redundantRedis: RedundantRedis | null;
  carriers: WorldCarriers;
  receivers: WorldReceivers;
  replicas: readonly Replica[];
  sandboxUrl: string;
  merchants: readonly Merchant[];
  endpoints: readonly Endpoint[];
  call: Call;
  /** The readers of the feed, as soon as they have begun. */
  readers: FeedReader[];
  /** Where the processes log. */
  logDir: string;
  close(): Promise<void>;
};

type Options = { store: WorldStore; without: Guard | undefined; log: (line: string) => void };

const REDUNDANT: Partial<Record<WorldStore, () => Promise<RedundantRedis>>> = {
  'redis-sentinel': startRedisSentinel,
  'redis-cluster': startRedisCluster,
};
const REPLICAS = 2;
const MERCHANTS = 2;
const ENDPOINTS_EACH = 2;
const START_DEADLINE_MS = 180_000;
/** A timer can wait 24 days at most: no sweep runs again within a run. */
const NEVER_MS = 3_600_000;

export async function startWorld({ store, without, log }: Options): Promise<World> {
  const closers: (() => Promise<void>)[] = [];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    closers.unshift(() => part.close());
    return part;
  };
  const close = async () => {
    for (const closeNext of closers.splice(0)) await closeNext();
  };
  try {
    const logDir = join(process.cwd(), '.cache/chaos/logs', store);
    rmSync(logDir, { recursive: true, force: true });
    mkdirSync(logDir, { recursive: true });
    const timeline = createTimeline();
    const postgres = keep(await startWorldPostgres({ isSynchronous: without !== 'synchronous-commits' }));
    const redis = store === 'redis' ? keep(await startWorldRedis(log)) : null;
    const redundantRedis = await startRedundantRedis(store, log);
    if (redundantRedis) closers.unshift(redundantRedis.stop);
    const [master] = without === 'sentinels' ? ((await redundantRedis?.masters()) ?? []) : [];
    const receivers = keep(await startWorldReceivers(timeline));
    const start = async (app: App, n: number, env: Record<string, string>) => {
      const replica = startReplica({ app, name: `${app} ${n}`, env, addresses: await freeAddresses(), logDir });
      closers.unshift(async () => void (await replica.stop()));
      return replica;
    };
    const sandbox = await start('sandbox-carrier', 1, { SANDBOX_SPEED: '2', LOG_LEVEL: 'warn' });
    const carriers = keep(await startWorldCarriers(sandbox.url, timeline));
    const hasSweeps = without !== 'sweeps';
    const env = settings({ postgres, redis: master ?? redis ?? redundantRedis, carriers, hasSweeps });
    const replicas: Replica[] = [];
    for (const app of PROCESSES) for (let n = 1; n <= REPLICAS; n++) replicas.push(await start(app, n, env));
    await eventually(
      async () => {
        for (const replica of [sandbox, ...replicas])
          if (!(await replica.isReady())) throw new Error(`${replica.name} is not ready; its log is in ${logDir}`);
      },
      { deadlineMs: START_DEADLINE_MS, everyMs: 200 },
    );
    const apis = replicas.filter(({ app }) => app === 'api');
    const call = createBalancer(apis, timeline.request);
    const merchants = await newMerchants(postgres.directUrl);
    const endpoints = await register(call, merchants, receivers);
    const servers = { postgres, redis, redundantRedis, carriers, receivers, sandboxUrl: sandbox.url };
    return { store, timeline, ...servers, replicas, merchants, endpoints, call, readers: [], logDir, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startRedundantRedis(store: WorldStore, log: Options['log']): Promise<RedundantRedis | null> {
  const start = REDUNDANT[store];
  if (!start) return null;
  await findRedis(log); // it may have to be downloaded, once for all servers
  return start();
}

type Servers = {
  postgres: Pick<WorldPostgres, 'url'>;
  redis: Pick<WorldRedis, 'url'> | null;
  carriers: Pick<WorldCarriers, 'url'>;
};

/** The settings of an installation, with shorter intervals. */
function settings(parts: Servers & { hasSweeps: boolean }): Record<string, string> {
  const { postgres, redis, carriers, hasSweeps } = parts;
  return {
    LOG_LEVEL: 'warn',
    DATABASE_URL: postgres.url,
    ...(redis ? { REDIS_URL: redis.url } : {}),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMITS: 'off',
    CHECK_INTERVAL_SECONDS: '2',
    // A busy machine must not look like a database in trouble.
    ...tuning({
      databaseRequestTimeoutMs: 5000,
      webhookTimeoutMs: 3000,
      retryTimeScale: 0.01,
      ...(hasSweeps ? {} : { sweepIntervalMs: NEVER_MS }),
    }),
    PROVIDERS: 'sandbox,kuaidi100',
    PROVIDER_ROUTES: `${KUAIDI100_COURIER}=kuaidi100`,
    SANDBOX_URL: carriers.url,
    PROVIDER_URLS: `kuaidi100=${carriers.url}/kuaidi100`,
    PROVIDER_LIMITS: 'kuaidi100.floor_seconds=0,kuaidi100.calls_per_second=50',
    KUAIDI100_CUSTOMER: KUAIDI100.customer,
    KUAIDI100_KEY: KUAIDI100.key,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.1/32',
  };
}

async function newMerchants(databaseUrl: string): Promise<Merchant[]> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, ...PATIENT });
  try {
    const merchants: Merchant[] = [];
    for (let n = 1; n <= MERCHANTS; n++) {
      const details = { name: `merchant ${n}`, plan: 'enterprise' } as const;
      const { account, key } = await createAccount({ db, now: () => new Date() }, details);
      merchants.push({ account: account.id, apiKey: key.apiKey });
    }
    return merchants;
  } finally {
    await db.$disconnect();
  }
}

/** Registers some endpoints for each merchant. */
async function register(call: Call, merchants: readonly Merchant[], receivers: WorldReceivers): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for (const [m, { account, apiKey }] of merchants.entries())
    for (let n = 1; n <= ENDPOINTS_EACH; n++) {
      const path = `/${m + 1}/${n}`;
      const events = ['tracking_update', 'tracking_delivered', 'tracking_exception'];
      // The first statements on a busy machine may take too long: then it is to be called again, which changes nothing.
      const answer = await eventually(async () => {
        const given = await call('POST', '/webhooks', apiKey, { url: `${receivers.url}${path}`, events });
        if (given.kind === 'answered' && given.code === 200) return given;
        throw new Error(`the webhook was refused: ${JSON.stringify(given)}`);
      });
      const { id, secret } = answer.data as { id: string; secret: string };
      receivers.know(path, secret);
      endpoints.push({ webhookId: id, account, path });
    }
  return endpoints;
}

/** The merchants' receivers: a process, an address for each endpoint. */
type WorldReceivers = {
  url: string;
  /** In the order of their arrival. */
  pushes: readonly Push[];
  /** Sends it the secret of an endpoint, by the path of its address. */
  know(path: string, secret: string): void;
  set(path: string, manner: Manner): void;
  close(): Promise<void>;
};

/** Starts them. @param timeline learns of each push that was accepted. */
export async function startWorldReceivers(timeline: Pick<Timeline, 'push'>): Promise<WorldReceivers> {
  const child = fork(join(process.cwd(), '.cache/chaos/parts/receiver.mjs'));
  const pushes: Push[] = [];
  const port = await new Promise<number>((known, fail) => {
    child.once('exit', (code) => fail(new Error(`the receivers ended with ${code}`)));
    child.on('message', (message: FromReceiver) => {
      if ('port' in message) return known(message.port);
      pushes.push(message.push);
      const { answered, endpoint } = message.push;
      if (answered >= 200 && answered < 300) timeline.push(performance.now(), endpoint);
    });
  });
  const send = (message: ToReceiver) => void child.send(message);
  return {
    url: `http://127.0.0.1:${port}`,
    pushes,
    know: (path, secret) => send({ path, secret }),
    set: (path, manner) => send({ path, manner }),
    close: () => endProcess(child),
  };
}

/** A Redis, and its possible faults. */
export type WorldRedis = {
  /** For the services, through a gate. */
  url: string;
  gate: Awaited<ReturnType<typeof startGate>>;
  /** Sends one command, bypassing the gate. */
  command(name: string, ...args: (string | number)[]): Promise<unknown>;
  stop(): Promise<void>;
  /** Empty, on the same port. */
  start(): Promise<void>;
  close(): Promise<void>;
};

export async function startWorldRedis(log: (line: string) => void): Promise<WorldRedis> {
  let server = await startRedis({ log });
  const { url } = server;
  const port = Number(new URL(url).port);
  const gate = await startGate(url, port);
  let isRunning = true;
  const stop = async () => {
    if (isRunning) await server.stop();
    isRunning = false;
  };
  return {
    url: gate.url,
    gate,
    stop,
    command: async (name, ...args) => {
      const client = new Redis(url, { retryStrategy: () => null });
      client.on('error', () => {});
      try {
        return await client.call(name, ...args);
      } finally {
        client.disconnect();
      }
    },
    start: async () => {
      if (!isRunning) server = await startRedis({ port });
      isRunning = true;
    },
    close: async () => {
      await gate.close();
      await stop();
    },
  };
}

/** Where the queue of an installation is. */
export const WORLD_STORES = ['redis', 'redis-sentinel', 'redis-cluster', 'postgres'] as const;
export type WorldStore = (typeof WORLD_STORES)[number];

/** Safeguards that a negative control does without: its run must not balance. */
export const GUARDS = ['sweeps', 'sentinels', 'synchronous-commits'] as const;
export type Guard = (typeof GUARDS)[number];
