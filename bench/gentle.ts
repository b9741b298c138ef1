import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@pts/core/id';
import { newSecret } from '@pts/core/webhook/signature';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { storeMessages } from '@pts/db/deliveries/messages';
import { insertWebhook } from '@pts/db/webhooks/endpoints';
import { openQueue } from '@pts/queue/connection';
import { createProducer } from '@pts/queue/producer';
import { createSecretCipher } from '@pts/runtime/secret-cipher';
import { createAccount } from '@pts/service/accounts/create';
import { PATIENT } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { atRate } from './http/accounts.ts';
import { EXAMPLE } from './http/example.ts';
import type { Figure } from './parts/figure.ts';
import { type Installation, openInstallation, splitCpu } from './parts/installation.ts';
import { startDurableServers } from './parts/servers.ts';
import { startSink } from './parts/sink.ts';

const PER_SECOND = 100;
const ENDPOINTS = 100;
const SECONDS = { warmUp: 20, idle: 20, measured: 30 };
/** The goal: milliseconds of CPU of an event, with what the processes use while nothing happens. */
const GOAL_MS = 3;
const ENCRYPTION_KEY = createHash('sha256').update('benchmark').digest('base64');

/** A dispatcher with nothing else, endpoints at a receiver, and a way to store events for them. */
type Gentle = {
  installation: Installation;
  /** Stores an event for the first `endpoints` in turn, at a rate, and resolves when all of them are recorded. */
  events(endpoints: number, seconds: number): Promise<number>;
  close(): Promise<void>;
};

/**
 * The CPU of an event at a gentle rate, from its stored message to the record of its delivery, with what dispatcher, PostgreSQL
 * and Redis use while nothing happens: for a hundred endpoints, each once a second, and for one endpoint.
 */
export async function benchGentle(): Promise<Figure[]> {
  const servers = await startDurableServers();
  const figures: Figure[] = [];
  try {
    for (const store of ['redis', 'postgres'] as const) {
      const database = await servers.newDatabase();
      const gentle = await openGentle(database.url, store === 'redis' ? servers.redisUrl : undefined);
      try {
        for (const each of await measure(gentle)) figures.push({ ...each, store });
      } finally {
        await gentle.close();
        await database.drop();
      }
    }
  } finally {
    await servers.stop();
  }
  return figures;
}

async function measure(gentle: Gentle): Promise<Figure[]> {
  await gentle.events(ENDPOINTS, SECONDS.warmUp);
  const idle = await spent(gentle, async () => {
    await delay(SECONDS.idle * 1000);
    return PER_SECOND * SECONDS.idle;
  });
  const many = await spent(gentle, () => gentle.events(ENDPOINTS, SECONDS.measured));
  const one = await spent(gentle, () => gentle.events(1, SECONDS.measured));
  return [
    ...figuresOf('no events', idle),
    ...figuresOf(`${ENDPOINTS} endpoints`, many),
    ...figuresOf('1 endpoint', one),
  ];
}

async function spent({ installation: { usage } }: Gentle, work: () => Promise<number>) {
  const before = usage();
  return { events: await work(), before, after: usage() };
}

function figuresOf(name: string, { events, before, after }: Awaited<ReturnType<typeof spent>>): Figure[] {
  return splitCpu(`gentle, ${name}`, before, after, events, GOAL_MS);
}

async function openGentle(databaseUrl: string, redisUrl: string | undefined): Promise<Gentle> {
  const installation = await openInstallation({
    databaseUrl,
    redisUrl,
    apps: { 'webhook-dispatcher': 1 },
    env: { ENCRYPTION_KEY },
  });
  // A busy machine must not end the run.
  const db = openDatabase({ url: databaseUrl, poolSize: 10, ...PATIENT });
  const sink = await startSink();
  const queue = await openQueue({ ...installation.queue, onError: console.error });
  const producer = createProducer(queue, console.error);
  const endpoints = await newEndpoints(db, sink.url);
  let stored = 0;
  const store = async (endpoint: (typeof endpoints)[number]) => {
    const now = new Date();
    const tracking = { ...EXAMPLE, id: newId(now, randomBytes(8)), seq: 1 };
    const emitted = [{ event: 'tracking_update' as const, accountId: endpoint.accountId, tracking }];
    stored += 1;
    await producer.deliver(await db.$hotTransaction((tx) => storeMessages(tx, emitted, [endpoint], now)));
  };
  const allRecorded = async () => {
    const [row] = await db.$queryRaw<{ recorded: number }[]>`SELECT count(*)::int AS recorded FROM delivery_attempts`;
    if ((row?.recorded ?? 0) < stored) throw new Error(`${row?.recorded} of ${stored} deliveries are recorded`);
  };
  return {
    installation,
    async events(among, seconds) {
      const before = stored;
      await atRate(PER_SECOND, seconds, async (index) => {
        const endpoint = endpoints[index % among];
        if (endpoint) await store(endpoint);
      });
      await eventually(allRecorded, { deadlineMs: 60_000, everyMs: 50 });
      return stored - before;
    },
    async close() {
      await producer.close();
      await Promise.all([queue.close(), db.$disconnect()]);
      await installation.close();
      await sink.close();
    },
  };
}

async function newEndpoints(db: Db, url: string) {
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
