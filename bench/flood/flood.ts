import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, openDatabase } from '@pts/db/connection/client';
import type { Store } from '@pts/queue/connection';
import { createAccount } from '@pts/service/accounts/create';
import { endProcess } from '@pts/testing/app-process';
import { testDatabase } from '@pts/testing/database';
import { stores } from '@pts/testing/stores';
import { type Figure, figure } from '../parts/figure.ts';
import { MEMORY_LIMIT_MIB, startApiProcess, watchMemory } from './flooded-api.ts';
import { startFlooder } from './flooder.ts';

const ROUNDS = 5;
const WINDOW_MS = 6000;
/** After the flooder has stopped, its remaining requests end within this time. */
const SETTLE_MS = 2000;
const EVERY_MS = 20;

/** What the flooder sends to, by the names of the figures. */
const FLOODS = { flood: ['detect', 'create', 'batch', 'batch-stream'], 'flood-streams': ['detect', 'batch-stream'] };

/**
 * What normal requests of five accounts take, in milliseconds, while a sixth sends the worst bodies it can to detect,
 * create, batch and batch-stream, or only to detect and batch-stream, at its documented rates, and (the bare figure) while it
 * does not; and the memory of the API's process during the flood against its limit in k8s/base. Windows with and without the
 * flood alternate: a figure is the median over its windows, so that a pause of the machine spoils one window and not the figure.
 */
export async function benchFlood(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores())
    for (const [name, targets] of Object.entries(FLOODS)) figures.push(...(await flood(store, name, targets)));
  return figures;
}

async function flood(store: Store, name: string, targets: readonly string[]): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2 });
  const api = await startApiProcess(store, database.url);
  const flooder = startFlooder({ url: api.url, key: await keyOf(db), hostile: targets });
  const keys = await Promise.all(Array.from({ length: 5 }, () => keyOf(db)));
  let peak = 0;
  const watch = watchMemory(api, (bytes) => {
    peak = Math.max(peak, bytes);
  });
  await ask(api.url, keys, WINDOW_MS);
  const quiet: number[][] = [];
  const flooded: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(await ask(api.url, keys, WINDOW_MS));
    flooder.send('start');
    await delay(500);
    flooded.push(await ask(api.url, keys, WINDOW_MS));
    flooder.send('stop');
    await once(flooder, 'message');
    await delay(SETTLE_MS);
  }
  await watch.stop();
  await Promise.all([endProcess(flooder), api.close()]);
  await db.$disconnect();
  await database.close();
  return [
    figure(`${name}-p50`, typical(flooded, 0.5), typical(quiet, 0.5), 'ms', store),
    figure(`${name}-p99`, typical(flooded, 0.99), typical(quiet, 0.99), 'ms', store),
    figure(`${name}-memory`, peak / 2 ** 20, MEMORY_LIMIT_MIB, 'MiB', store),
  ];
}

async function keyOf(db: Db): Promise<string> {
  const { key } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
  return key.apiKey;
}

/** The median of a quantile over windows. */
function typical(windows: readonly number[][], part: number): number {
  return quantile(
    windows.map((values) => quantile(values, part)),
    0.5,
  );
}

function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}

/** Normal requests, below every limit, at an even pace, however long the responses take. @returns the milliseconds of each. */
async function ask(url: string, keys: readonly string[], forMs: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true });
  const round = randomBytes(4).toString('hex').toUpperCase();
  const requested: Promise<number>[] = [];
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
    requested.push(timed(`${url}/api/v1${path}`, { method, agent, key }, sent));
    await delay(EVERY_MS);
  }
  const took = await Promise.all(requested);
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
