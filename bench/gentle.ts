import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@pts/core/id';
import type { PendingEndpoint } from '@pts/core/webhook/pending-endpoint';
import { newSecret } from '@pts/core/webhook/signature';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { storeMessages } from '@pts/db/deliveries/messages';
import { insertWebhook, type WebhookEndpoint } from '@pts/db/webhooks/endpoints';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { createSecretCipher } from '@pts/runtime/encryption/secret-cipher';
import { createAccount } from '@pts/service/accounts/create';
import { PATIENT } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { atRate } from './http/accounts.ts';
import { EXAMPLE } from './http/example.ts';
import { startBareDispatcher } from './parts/bare-dispatcher.ts';
import { type Figure, figure } from './parts/figure.ts';
import { cpuBetween, openInstallation, type UsageByGroup } from './parts/installation.ts';
import { type DurableServers, startDurableServers } from './parts/servers.ts';
import { startSink } from './parts/sink.ts';
import { usageOf } from './parts/usage.ts';

const PER_SECOND = 100;
const ENDPOINTS = 100;
const SECONDS = { warmUp: 20, idle: 20, measured: 30 };
const ENCRYPTION_KEY = createHash('sha256').update('benchmark').digest('base64');

/** A process that delivers what is pending for an endpoint when it is woken. */
type Deliverer = {
  usage(): UsageByGroup;
  wake(pending: PendingEndpoint[]): Promise<unknown>;
  close(): Promise<void>;
};
type OpenDeliverer = (servers: { databaseUrl: string; redisUrl: string | undefined }) => Promise<Deliverer>;

/** Stores an event for the first `endpoints` in turn, at a rate. @returns how many, when all of them are recorded. */
type Load = (endpoints: number, seconds: number) => Promise<number>;

/**
 * The CPU of an event at a gentle rate, from its stored message to the record of its delivery, with what dispatcher, PostgreSQL
 * and Redis use while nothing happens: for a hundred endpoints, each once a second, and for one endpoint. Beside it the same by a
 * bare dispatcher.
 */
export async function benchGentle(): Promise<Figure[]> {
  const servers = await startDurableServers();
  const figures: Figure[] = [];
  try {
    for (const store of ['redis', 'postgres'] as const) {
      const redisUrl = store === 'redis' ? servers.redisUrl : undefined;
      const bare = await measureOn(servers, redisUrl, openBare);
      const ours = await measureOn(servers, redisUrl, openOurs);
      for (const [name, cpu] of Object.entries(ours))
        figures.push(figure(`gentle, ${name}`, cpu, bare[name] ?? Number.NaN, 'ms of CPU per event', store));
    }
  } finally {
    await servers.stop();
  }
  return figures;
}

/** Milliseconds of CPU per event of each load: in all, and of each group. */
type Cpu = Record<string, number>;

async function measureOn(
  servers: DurableServers,
  redisUrl: string | undefined,
  openDeliverer: OpenDeliverer,
): Promise<Cpu> {
  const database = await servers.newDatabase();
  // A busy machine must not end the run.
  const db = openDatabase({ url: database.url, poolSize: 10, ...PATIENT });
  const sink = await startSink();
  const deliverer = await openDeliverer({ databaseUrl: database.url, redisUrl });
  try {
    return await measure(deliverer, openLoad(db, await newEndpoints(db, sink.url), deliverer));
  } finally {
    await deliverer.close();
    await Promise.all([sink.close(), db.$disconnect()]);
    await database.drop();
  }
}

async function measure(deliverer: Deliverer, load: Load): Promise<Cpu> {
  await load(ENDPOINTS, SECONDS.warmUp);
  const idle = async () => {
    await delay(SECONDS.idle * 1000);
    return PER_SECOND * SECONDS.idle;
  };
  return {
    ...(await spent(deliverer, 'no events', idle)),
    ...(await spent(deliverer, `${ENDPOINTS} endpoints`, () => load(ENDPOINTS, SECONDS.measured))),
    ...(await spent(deliverer, '1 endpoint', () => load(1, SECONDS.measured))),
  };
}

async function spent({ usage }: Deliverer, name: string, work: () => Promise<number>): Promise<Cpu> {
  const before = usage();
  const events = await work();
  const after = usage();
  const groups = Object.keys(after) as (keyof UsageByGroup)[];
  return {
    [name]: cpuBetween(before, after) / events,
    ...Object.fromEntries(groups.map((group) => [`${name}, ${group}`, cpuBetween(before, after, [group]) / events])),
  };
}

const openOurs: OpenDeliverer = async (servers) => {
  const installation = await openInstallation({
    ...servers,
    apps: { 'webhook-dispatcher': 1 },
    env: { ENCRYPTION_KEY },
  });
  const queue = await openQueue({ ...installation.queue, onError: console.error });
  const producer = createProducer(queue, console.error);
  return {
    usage: installation.usage,
    wake: (pending) => producer.deliver(pending),
    async close() {
      await producer.close();
      await queue.close();
      await installation.close();
    },
  };
};

const openBare: OpenDeliverer = async (servers) => {
  const installation = await openInstallation({ ...servers, apps: {} });
  const bare = await startBareDispatcher(servers);
  return {
    usage: () => ({ 'webhook-dispatcher': usageOf(bare.child.pid ?? 0), ...installation.usage() }),
    wake: (pending) => Promise.all(pending.map(({ webhookId }) => bare.wake(webhookId))),
    async close() {
      await bare.close();
      await installation.close();
    },
  };
};

function openLoad(db: Db, endpoints: readonly WebhookEndpoint[], { wake }: Deliverer): Load {
  let stored = 0;
  const store = async (endpoint: WebhookEndpoint) => {
    const now = new Date();
    const tracking = { ...EXAMPLE, id: newId(now, randomBytes(8)), seq: 1 };
    const emitted = [{ event: 'tracking_update' as const, accountId: endpoint.accountId, tracking }];
    stored += 1;
    await wake(await db.$hotTransaction((tx) => storeMessages(tx, emitted, [endpoint], now)));
  };
  const allRecorded = async () => {
    const recorded = await db.deliveryAttempt.count();
    if (recorded < stored) throw new Error(`${recorded} of ${stored} deliveries are recorded`);
  };
  return async (among, seconds) => {
    const before = stored;
    await atRate(PER_SECOND, seconds, async (index) => {
      const endpoint = endpoints[index % among];
      if (endpoint) await store(endpoint);
    });
    await eventually(allRecorded, { deadlineMs: 60_000, everyMs: 50 });
    return stored - before;
  };
}

async function newEndpoints(db: Db, url: string): Promise<WebhookEndpoint[]> {
  const now = new Date();
  const cipher = createSecretCipher(ENCRYPTION_KEY);
  const { account } = await createAccount({ db, now: () => now }, { name: 'bench', plan: 'enterprise' });
  const endpoints = [];
  for (let n = 0; n < ENDPOINTS; n++) {
    const { id, accountId, events, failingSince } = await insertWebhook(db, {
      id: newId(now, randomBytes(8)),
      accountId: account.id,
      url: `${url}/${n}`,
      events: ['tracking_update'],
      encryptedSecret: cipher.encrypt(newSecret(randomBytes(32))),
      createdAt: now,
    });
    endpoints.push({ id, accountId, events, failingSince });
  }
  return endpoints;
}
