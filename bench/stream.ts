import { fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ConnectedProvider } from '@pts/carriers/provider';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { saveAnswers } from '@pts/db/testing/save-answers';
import { storeRegistrations } from '@pts/db/trackings/register';
import { queryQueue } from '@pts/queue/catalog';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { openSignals } from '@pts/queue/signals';
import { startWorker } from '@pts/queue/worker';
import { createLogger } from '@pts/runtime/logger';
import { createOutcomes } from '@pts/runtime/outcomes';
import { createAccount } from '@pts/service/accounts/create';
import { createEstimator } from '@pts/service/estimates/estimator';
import { testDatabase } from '@pts/testing/database';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { createEventHub } from '../apps/api/src/streaming/event-hub.ts';
import { createAnswerHub } from '../apps/api/src/streaming/hub.ts';
import { EVENT_STREAMS, STREAM_TIMES } from '../apps/api/src/streaming/times.ts';
import { startTestApi } from '../apps/api/src/testing/test-api.ts';
import { query } from '../apps/carrier-poller/src/check/query.ts';
import { createSave } from '../apps/carrier-poller/src/check/save.ts';
import { createPollerMetrics } from '../apps/carrier-poller/src/metrics.ts';
import { paceOf } from '../apps/carrier-poller/src/provider/pace.ts';
import { createProviderMemory } from '../apps/carrier-poller/src/provider/provider-memory.ts';
import { EXAMPLE } from './http/example.ts';
import { type Figure, figure } from './parts/figure.ts';

const COUNT = 10_000;
const API_FLAG = '--as-the-api';
const CADENCE = { monitoredSeconds: 300, idleSeconds: 3600, floorSeconds: 0 };
const FOUND: CarrierAnswer = { kind: 'found', scans: EXAMPLE.scans };
const PROVIDER = {
  name: 'bench',
  limits: { batchSize: 40, callsPerSecond: 1e6, concurrency: 10, floorSeconds: 0 },
  serves: () => true,
};
const numbers = (round: number) => Array.from({ length: COUNT }, (_, i) => `YT${round}${String(i).padStart(12, '0')}`);

/**
 * Numbers per second through a stream whose carrier answers at once, against only registering them and storing their
 * answers; and the growth of the memory of the API's process during the stream.
 */
export async function benchStream(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) {
    const database = await testDatabase();
    const place = { redisUrl: redisUrlOn(store), databaseUrl: database.url, prefix: `{bench-${process.pid}}` };
    const db = openDatabase({ url: database.url, poolSize: 10 });
    const bare = await registerAndAnswer(db);
    const queue = await openQueue({ ...place, onError: console.error });
    const producer = createProducer(queue, console.error);
    const signals = openSignals({ ...place, onError: console.error });
    const provider: ConnectedProvider = { ...PROVIDER, ask: async (questions) => questions.map(() => FOUND) };
    const logger = createLogger({ app: 'bench', level: 'error', format: 'json' });
    const stopCalls = new AbortController().signal;
    setMaxListeners(0, stopCalls);
    const given = {
      db,
      producer,
      signals,
      provider,
      providers: [provider],
      cadence: CADENCE,
      callback: null,
      logger,
      metrics: createPollerMetrics(),
      stopCalls,
      memory: createProviderMemory(),
      pace: paceOf(provider, db),
      claimOutcomes: createOutcomes(),
      estimator: createEstimator(db),
      now: () => new Date(),
    };
    const deps = { ...given, save: createSave(given) };
    const worker = startWorker<'query'>(
      queue,
      queryQueue('bench'),
      { query: (job) => query(deps, job) },
      { concurrency: 10 },
      console.error,
    );
    const api = await startApiProcess({ ...place, store });
    const keyOf = async () => {
      const { key } = await createAccount({ db, now: () => new Date() }, { name: 'bench', plan: 'enterprise' });
      return key.apiKey;
    };
    await stream(api, await keyOf(), 1);
    const before = await api.rss();
    const { rate, peak } = await stream(api, await keyOf(), 2);
    figures.push(figure('stream', rate, bare, 'numbers/s', store));
    figures.push(figure('stream-memory', (peak - before) / 2 ** 20, 50, 'MiB', store));
    await worker.close();
    await api.close();
    await producer.close();
    await Promise.all([queue.close(), signals.close(), db.$disconnect()]);
    await database.close();
  }
  return figures;
}

async function registerAndAnswer(db: Db): Promise<number> {
  const now = new Date();
  const { account } = await createAccount({ db, now: () => now }, { name: 'bench', plan: 'enterprise' });
  const startedAt = performance.now();
  const all = numbers(0);
  for (let i = 0; i < COUNT; i += 200) {
    const registrations = all.slice(i, i + 200).map((trackingNumber) => ({
      trackingNumber,
      carrier: 'yto',
      provider: 'bench',
      detected: true,
    }));
    const order = { accountId: account.id, quotaLimit: 1e9, registrations, now };
    const result = await storeRegistrations(db, order);
    if (result.kind !== 'registered') throw new Error(result.kind);
    const changed = result.trackings.map(({ id: trackingId }) => ({
      trackingId,
      answer: FOUND,
      fingerprint: 'f',
      finalLook: false,
    }));
    for (let from = 0; from < changed.length; from += 40)
      await saveAnswers(db, changed.slice(from, from + 40), CADENCE, now);
  }
  return COUNT / ((performance.now() - startedAt) / 1000);
}

async function stream(api: ApiProcess, key: string, round: number) {
  const startedAt = performance.now();
  const sent = request(`${api.url}/api/v1/track/batch-stream`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' },
  });
  sent.end(numbers(round).join('\n'));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let peak = 0;
  const watch = setInterval(async () => {
    peak = Math.max(peak, await api.rss());
  }, 50);
  let last = '';
  for await (const line of createInterface({ input: response })) last = line;
  clearInterval(watch);
  const { answered } = JSON.parse(last);
  if (answered !== COUNT) throw new Error(`the stream ended with ${last}`);
  return { rate: COUNT / ((performance.now() - startedAt) / 1000), peak };
}

type Place = { redisUrl: string | undefined; databaseUrl: string; prefix: string; store: 'redis' | 'postgres' };
type ApiProcess = { url: string; rss(): Promise<number>; close(): Promise<void> };

/** The API in a separate process, so that its memory is measured separately. */
async function startApiProcess(place: Place): Promise<ApiProcess> {
  const child = fork(fileURLToPath(import.meta.url), [API_FLAG, JSON.stringify(place)]);
  const [url] = (await once(child, 'message')) as [string];
  return {
    url,
    async rss() {
      child.send('rss');
      const [bytes] = (await once(child, 'message')) as [number];
      return bytes;
    },
    async close() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** The program of that process; the bundle is one file, so it starts in the same one as the benchmarks. */
export async function runApi(): Promise<boolean> {
  const [, , flag, text = ''] = process.argv;
  if (flag !== API_FLAG) return false;
  const { store, ...place } = JSON.parse(text) as Place;
  const queue = await openQueue({ ...place, onError: console.error });
  const producer = createProducer(queue, console.error);
  const signals = openSignals({ ...place, onError: console.error });
  const streams = {
    hub: createAnswerHub(signals),
    ...STREAM_TIMES,
    events: { hub: createEventHub(signals, EVENT_STREAMS.maxPerProcess), ...EVENT_STREAMS },
    stopping: new AbortController().signal,
  };
  const providers = [PROVIDER];
  const api = await startTestApi({ store, databaseUrl: place.databaseUrl, streams, producer, providers });
  process.on('message', () => process.send?.(process.memoryUsage.rss()));
  process.send?.(api.url);
  return true;
}
