import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAllowList } from '@pts/core/address/address-policy';
import { newId } from '@pts/core/id';
import { newSecret } from '@pts/core/webhook/signature';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { storeMessages } from '@pts/db/deliveries/messages';
import { insertWebhook, type WebhookEndpoint } from '@pts/db/webhooks/endpoints';
import { createSender } from '@pts/egress/send';
import type { Store } from '@pts/queue/connection';
import type { Producer } from '@pts/queue/producer';
import { createSecretCipher } from '@pts/runtime/encryption/secret-cipher';
import { createLogger } from '@pts/runtime/logger';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { serve } from '@pts/testing/http-server';
import { stores } from '@pts/testing/stores';
import { startDispatcher } from '../apps/webhook-dispatcher/src/process/dispatcher.ts';
import { createDispatcherMetrics } from '../apps/webhook-dispatcher/src/process/metrics.ts';
import { EXAMPLE } from './http/example.ts';
import type { Figure } from './parts/figure.ts';
import { openBenchQueue } from './parts/queue.ts';

const HEALTHY = 10;
const EVENTS = 1000;
const WARM_UP = 200;
const ROUNDS = 2;
const EVERY_MS = 8;
const OWED_TO_BAD = 10_000;
const SLOW_MS = 9000;
const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));

/**
 * The time from an event to its receipt by healthy receivers, of which 1 in 100 is slower: while another receiver
 * never answers and a third takes 9 s, with 10,000 pending deliveries each, and (the bare figure) without those two.
 */
export async function benchIsolation(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) {
    const alone: number[] = [];
    const disturbed: number[] = [];
    // Alternating, so that a noisy moment of the machine affects both.
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await latencies(store, false)));
      disturbed.push(...(await latencies(store, true)));
    }
    for (const [name, at] of [
      ['isolation-p50', 0.5],
      ['isolation-p99', 0.99],
    ] as const) {
      const [ours, bare] = [quantile(disturbed, at), quantile(alone, at)];
      figures.push({ name, ours, bare, ratio: Math.round((ours / bare) * 100) / 100, unit: 'ms', store });
    }
  }
  return figures;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor(sorted.length * part)] ?? 0) * 10) / 10;
}

/** The milliseconds that each event took. */
async function latencies(store: Store, withBad: boolean): Promise<number[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 10 });
  const { queue, producer, close: closeQueue } = await openBenchQueue(store, database.url);
  const policy = { allowHttp: true, allowed: parseAllowList(['127.0.0.1']) };
  const { send, close } = createSender({ policy, timeoutMs: 10_000 });
  const dispatcher = startDispatcher({
    queue,
    deps: {
      db,
      producer,
      send,
      secretCipher,
      retryTimeScale: 1,
      retentionDays: 30,
      now: () => new Date(),
      logger: createLogger({ app: 'bench', level: 'error', format: 'json' }),
      metrics: createDispatcherMetrics(),
    },
    concurrency: 256,
    sweepIntervalMs: 1000,
    sendGraceMs: 60_000,
  });
  const receivedAt = new Map<string, number>();
  const well = await serve((request, response) => {
    receivedAt.set(String(request.headers['x-webhook-id']), performance.now());
    request.resume().on('end', () => response.end());
  });
  const bad = withBad ? await startBad(db, producer) : null;
  await load(db, producer, well.url, receivedAt, WARM_UP);
  const measured = await load(db, producer, well.url, receivedAt, EVENTS);
  await Promise.all([well.close(), bad?.close()]);
  await dispatcher.stop();
  await Promise.all([closeQueue(), close()]);
  await db.$disconnect();
  await database.close();
  return measured;
}

/** Both bad receivers, once the dispatcher has tried them. */
async function startBad(db: Db, producer: Producer): Promise<{ close(): Promise<void> }> {
  let met = 0;
  const hanging = await serve(() => {
    met += 1;
  });
  const slow = await serve((_request, response) => {
    met += 1;
    setTimeout(() => response.end(), SLOW_MS).unref();
  });
  for (const { url } of [hanging, slow]) {
    const endpoint = await register(db, url);
    await producer.deliver(await owe(db, [endpoint], OWED_TO_BAD).then(({ wake }) => wake));
  }
  await eventually(() => {
    if (met < 8) throw new Error('the bad receivers were not reached');
  });
  return { close: async () => void (await Promise.all([hanging.close(), slow.close()])) };
}

/** Emits events for healthy receivers at an even pace, and waits until all are received. */
async function load(
  db: Db,
  producer: Producer,
  url: string,
  receivedAt: Map<string, number>,
  events: number,
): Promise<number[]> {
  const endpoints: WebhookEndpoint[] = [];
  for (let n = 0; n < HEALTHY; n++) endpoints.push(await register(db, `${url}/${n}`));
  const emittedAt = new Map<string, number>();
  const emits: Promise<void>[] = [];
  for (let n = 0; n < events; n++) {
    const endpoint = endpoints[n % HEALTHY];
    if (!endpoint) continue;
    emits.push(
      (async () => {
        const at = performance.now();
        const { wake, trackingIds } = await owe(db, [endpoint], 1);
        await producer.deliver(wake);
        const [message] = await db.message.findMany({ where: { trackingId: trackingIds[0] ?? '' } });
        if (message) emittedAt.set(message.id, at);
      })(),
    );
    await delay(EVERY_MS);
  }
  await Promise.all(emits);
  await eventually(
    () => {
      const missing = [...emittedAt.keys()].filter((id) => !receivedAt.has(id)).length;
      if (missing > 0) throw new Error(`${missing} events were not received`);
    },
    { deadlineMs: 60_000 },
  );
  return [...emittedAt].map(([id, at]) => (receivedAt.get(id) ?? 0) - at);
}

async function register(db: Db, url: string): Promise<WebhookEndpoint> {
  const now = new Date();
  const { account } = await createAccount({ db, now: () => now }, { name: 'bench', plan: 'enterprise' });
  const encryptedSecret = secretCipher.encrypt(newSecret(randomBytes(32)));
  return insertWebhook(db, {
    id: newId(now, randomBytes(8)),
    accountId: account.id,
    url,
    events: ['tracking_update'],
    encryptedSecret,
    createdAt: now,
  });
}

async function owe(db: Db, endpoints: WebhookEndpoint[], count: number) {
  const now = new Date();
  const accountId = endpoints[0]?.accountId ?? '';
  const trackings = Array.from({ length: count }, () => ({ ...EXAMPLE, id: newId(now, randomBytes(8)), seq: 1 }));
  const emitted = trackings.map((tracking) => ({ event: 'tracking_update' as const, accountId, tracking }));
  const wake = await db.$hotTransaction((tx) => storeMessages(tx, emitted, endpoints, now));
  return { wake, trackingIds: trackings.map(({ id }) => id) };
}
