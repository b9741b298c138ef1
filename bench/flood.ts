import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Db, openDatabase } from '@pts/db/connection/client';
import type { Store } from '@pts/queue/connection';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { runApi } from '../apps/api/src/run.ts';
import { type Figure, figure } from './figure.ts';
import { FLOODER_FLAG } from './flooder.ts';

const API_FLAG = '--as-the-flooded-api';
/** The memory limit of the API in k8s/base, and half of it for its heap, as Node chooses there. */
const MEMORY_LIMIT_MIB = 512;
const HEAP_MIB = 256;
const ROUNDS = 3;
const ROUND_MS = 6000;
const EVERY_MS = 33;

/**
 * What normal requests of five accounts take, in milliseconds, while a sixth sends the worst bodies it can to detect,
 * create and batch-stream at its documented rates, and (the bare figure) while it does not; and the memory of the API's
 * process meanwhile against its limit in k8s/base.
 */
export async function benchFlood(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) {
    const database = await testDatabase();
    const db = openDatabase({ url: database.url, poolSize: 2 });
    const api = await startApiProcess(store, database.url);
    const flooder = fork(fileURLToPath(import.meta.url), [FLOODER_FLAG, api.url, await keyOf(db)]);
    const keys = await Promise.all(Array.from({ length: 5 }, () => keyOf(db)));
    let peak = 0;
    const watch = watchMemory(api, (bytes) => {
      peak = Math.max(peak, bytes);
    });
    await ask(api.url, keys, ROUND_MS);
    const quiet: number[] = [];
    const flooded: number[] = [];
    // In turns, so that a noisy moment of the machine falls on both.
    for (let round = 0; round < ROUNDS; round++) {
      quiet.push(...(await ask(api.url, keys, ROUND_MS)));
      flooder.send('start');
      await delay(500);
      flooded.push(...(await ask(api.url, keys, ROUND_MS)));
      flooder.send('stop');
      await once(flooder, 'message');
    }
    await watch.stop();
    for (const [name, at] of [
      ['flood-p50', 0.5],
      ['flood-p99', 0.99],
    ] as const)
      figures.push(figure(name, quantile(flooded, at), quantile(quiet, at), 'ms', store));
    figures.push(figure('flood-memory', peak / 2 ** 20, MEMORY_LIMIT_MIB, 'MiB', store));
    await Promise.all([end(flooder), api.close()]);
    await db.$disconnect();
    await database.close();
  }
  return figures;
}

async function keyOf(db: Db): Promise<string> {
  const { key } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
  return key.apiKey;
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}

/** Normal requests, below every limit, at an even pace whatever the answers take. @returns the milliseconds of each. */
async function ask(url: string, keys: readonly string[], forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const round = randomBytes(4).toString('hex').toUpperCase();
  const asked: Promise<number>[] = [];
  const until = performance.now() + forMs;
  for (let n = 0; performance.now() < until; n++) {
    const key = keys[n % keys.length] ?? '';
    const body = JSON.stringify({ tracking_number: `YT${round}${n}` });
    const [method, path, sent] = (
      [
        ['POST', '/carrier/detect', body],
        ['GET', '/shipments?limit=20', undefined],
        ['POST', '/trackings/create', body.replace('YT', 'PTS')],
        ['GET', '/account', undefined],
      ] as const
    )[Math.floor(n / keys.length) % 4] ?? ['GET', '/account', undefined];
    asked.push(timed(`${url}/api/v1${path}`, { method, agent, key }, sent));
    await delay(EVERY_MS);
  }
  const took = await Promise.all(asked);
  agent.destroy();
  return took;
}

function timed(url: string, { method, agent, key }: { method: string; agent: Agent; key: string }, body?: string) {
  const headers = { 'X-API-Key': key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) };
  const startedAt = performance.now();
  return new Promise<number>((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      const { statusCode = 0 } = response;
      response.resume().on('end', () => {
        if (statusCode >= 500) reject(new Error(`${method} ${url} was answered ${statusCode}`));
        else resolve(performance.now() - startedAt);
      });
    });
    sent.on('error', reject).end(body);
  });
}

/** The API as it is deployed, in a process of its own with the heap it has there. */
async function startApiProcess(store: Store, databaseUrl: string) {
  const port = await freePort();
  const redisUrl = redisUrlOn(store);
  const child = fork(fileURLToPath(import.meta.url), [API_FLAG], {
    execArgv: [`--max-old-space-size=${HEAP_MIB}`],
    env: {
      PATH: process.env.PATH,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      DATABASE_URL: databaseUrl,
      QUEUE_PREFIX: `{flood-${process.pid}}`,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      SANDBOX_URL: 'http://127.0.0.1:9',
      HOST: '127.0.0.1',
      PORT: String(port),
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'error',
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => void (await fetch(`${url}/healthz`)), { deadlineMs: 30_000 });
  return {
    url,
    async rss(): Promise<number> {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error('the API has ended');
      child.send('rss');
      const [bytes] = (await once(child, 'message')) as [number];
      return bytes;
    },
    close: () => end(child),
  };
}

/** Asks again once it was answered: a process that is busy is not asked more. */
function watchMemory(api: { rss(): Promise<number> }, onBytes: (bytes: number) => void) {
  let isOn = true;
  const done = (async () => {
    while (isOn) {
      onBytes(await api.rss());
      await delay(100);
    }
  })();
  return {
    stop: async () => {
      isOn = false;
      await done;
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

/** What the API's process runs; the bundle is one file, so it starts in the same one as the benchmarks. */
export async function runFloodedApi(): Promise<boolean> {
  if (process.argv[2] !== API_FLAG) return false;
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.(process.memoryUsage.rss()));
  await runApi(process.env);
  return true;
}
