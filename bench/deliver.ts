import { randomBytes } from 'node:crypto';
import { newId } from '@pts/core/id';
import { parseAllowList } from '@pts/core/url-policy';
import { WIDEST_WINDOW } from '@pts/core/webhook/endpoint';
import { newSecret, pushHeaders } from '@pts/core/webhook/push';
import { type Db, openDatabase } from '@pts/db/connection';
import { storeMessages } from '@pts/db/deliveries/pending';
import { insertWebhook } from '@pts/db/webhooks';
import { createSender, type SendPush } from '@pts/egress/send';
import { openQueue, type Store } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/wake';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { createLogger } from '@pts/runtime/logger';
import { createAccount } from '@pts/service/accounts';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { redisUrlOn, stores } from '@pts/testing/stores';
import { Agent, request } from 'undici';
import { startDispatcher } from '../apps/webhook-dispatcher/src/dispatcher.ts';
import { createDispatcherMetrics } from '../apps/webhook-dispatcher/src/metrics.ts';
import { type Figure, figure, perSecond } from './figure.ts';
import { EXAMPLE } from './merchant.ts';
import { startSink } from './sink.ts';

/** Places of the dispatcher; to one receiver it sends as much at once as the widest window allows, like the loop. */
const CONCURRENCY = 256;
const COUNT = 60_000;
const WARM_UP = 60_000;
const policy = { allowHttp: true, allowed: parseAllowList(['127.0.0.1']) };

/**
 * Deliveries per second with every attempt on disk, against a bare loop of POSTs of the same body to the same receiver.
 */
export async function benchDeliver(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const store of stores()) {
    const sink = await startSink();
    await ours(sink.url, store, WARM_UP);
    // Before and after, so that a machine that slows down in between slows down both.
    const before = await bareLoop(sink.url);
    const rate = await ours(sink.url, store, COUNT);
    const bare = (before + (await bareLoop(sink.url))) / 2;
    figures.push({ ...figure('deliver', rate, bare, 'deliveries/s'), store });
    await sink.close();
  }
  return figures;
}

async function bareLoop(url: string): Promise<number> {
  const dispatcher = new Agent({ connections: WIDEST_WINDOW });
  const body = exampleBody();
  const headers = pushHeaders({
    messageId: 'm',
    event: 'tracking_update',
    attempt: 1,
    body,
    secrets: [newSecret(randomBytes(32))],
    sentAt: new Date(),
  });
  const post = async () => {
    const response = await request(url, { dispatcher, method: 'POST', headers, body });
    await response.body.dump();
  };
  await perSecond(WARM_UP, WIDEST_WINDOW, post);
  const rate = await perSecond(COUNT, WIDEST_WINDOW, post);
  await dispatcher.close();
  return rate;
}

async function ours(url: string, store: Store, count: number): Promise<number> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 10 });
  const secretCipher = createSecretCipher(randomBytes(32).toString('base64'));
  const prefix = `{bench-${randomBytes(6).toString('hex')}}`;
  const place = { redisUrl: redisUrlOn(store), databaseUrl: database.url, prefix };
  const queue = await openQueue({ ...place, onError: console.error });
  const producer = createProducer(queue, console.error);
  const webhookId = await storeMany(db, url, secretCipher.encrypt(newSecret(randomBytes(32))), count);
  const sender = createSender({ policy, timeoutMs: 10_000, connectionsPerReceiver: WIDEST_WINDOW });
  const answered = counter(count);
  const send: SendPush = async (push) => {
    const sent = await sender.send(push);
    answered.add();
    return sent;
  };
  const logger = createLogger({ app: 'bench', level: 'error', format: 'json' });
  const startedAt = performance.now();
  const dispatcher = startDispatcher({
    queue,
    deps: {
      db,
      send,
      secretCipher,
      logger,
      metrics: createDispatcherMetrics(),
      retryTimeScale: 1,
      retentionDays: 30,
      now: () => new Date(),
    },
    concurrency: CONCURRENCY,
    sweepIntervalMs: 1000,
    sendGraceMs: 60_000,
  });
  await producer.deliver([{ webhookId, accountId: 'a', isFailing: false }]);
  // Counting rows is work for the database, so it starts only when there can be enough.
  await answered.all;
  await eventually(() => allRecorded(db, count), { deadlineMs: 120_000, everyMs: 20 });
  const rate = count / ((performance.now() - startedAt) / 1000);
  await dispatcher.stop();
  await producer.close();
  await Promise.all([queue.close(), sender.close()]);
  await db.$disconnect();
  await database.close();
  return rate;
}

/** @returns a counter, whose `all` resolves when it reaches that number. */
function counter(count: number) {
  let done = 0;
  let reached = () => {};
  const all = new Promise<void>((resolve) => {
    reached = resolve;
  });
  return { all, add: () => ++done === count && reached() };
}

async function allRecorded(db: Db, count: number): Promise<void> {
  const done = await db.deliveryAttempt.count();
  if (done < count) throw new Error(`${done} of ${count} deliveries recorded`);
}

async function storeMany(db: Db, url: string, encryptedSecret: string, count: number) {
  const now = new Date();
  const { account } = await createAccount({ db, now: () => now }, { name: 'bench', plan: 'enterprise' });
  const webhook = await insertWebhook(db, {
    id: newId(now, randomBytes(8)),
    accountId: account.id,
    url,
    events: ['tracking_update'],
    encryptedSecret,
    createdAt: now,
  });
  const endpoints = [
    { id: webhook.id, accountId: account.id, events: ['tracking_update'], filter: null, failingSince: null },
  ];
  const emitted = Array.from({ length: count }, (_, seq) => ({
    event: 'tracking_update' as const,
    accountId: account.id,
    tracking: { ...EXAMPLE, id: newId(now, randomBytes(8)), seq },
  }));
  await db.$hotTransaction((tx) => storeMessages(tx, emitted, endpoints, now));
  // Like an installation that has been running for a while.
  await db.$executeRaw`ANALYZE deliveries, messages`;
  return webhook.id;
}

function exampleBody(): string {
  return JSON.stringify({
    event: 'tracking_update',
    created_at: '2026-01-02T03:04:05Z',
    data: { ...EXAMPLE, seq: 1, timeRaw: undefined },
  });
}
