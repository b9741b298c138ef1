import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newSecret } from '@pts/core/webhook/signature';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { storeMessages } from '@pts/db/deliveries/messages';
import { createSecretCipher } from '@pts/runtime/encryption/secret-cipher';
import { endProcess } from '@pts/testing/app-process';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { newAccount, newWebhook } from '@pts/testing/factories';
import { serve } from '@pts/testing/http-server';
import { testQueue } from '@pts/testing/queue';
import { stores } from '@pts/testing/stores';
import { tuning } from '../support/tuning.ts';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../..');
const KEY = randomBytes(32).toString('base64');
const ENDPOINTS = 5;
/** One of two running dispatchers is killed after each such part of the events. */
const PARTS = 5;
const { CHAOS_EVENTS = '5000' } = process.env;
const CONCURRENCY = 64;
/** Attempts that a killed dispatcher had in flight or not yet recorded: never more, however slow the database is. */
const MAX_TWICE_PER_KILL = 2 * CONCURRENCY;

test.each(stores())(
  'kill -9 of dispatchers, one after the other, on %s: every event arrives, few arrive twice, none is invented',
  async (store) => {
    const database = await testDatabase();
    const db = openDatabase({ url: database.url, poolSize: 5, ...PATIENT });
    const queue = await testQueue(store, database.url);
    const receiver = await startCounting();
    const emitted = await emit(db, receiver.url, Number(CHAOS_EVENTS));
    const { redisUrl, databaseUrl, prefix } = queue.options;
    const dispatchers = startPair({
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      DATABASE_URL: databaseUrl,
      QUEUE_PREFIX: prefix,
      ENCRYPTION_KEY: KEY,
      MANAGEMENT_PORT: '0',
      LOG_LEVEL: 'error',
      WEBHOOK_CONCURRENCY: String(CONCURRENCY),
      WEBHOOK_ALLOW_HTTP: 'true',
      // A busy machine must not look like a hanging receiver: each event has one attempt.
      ...tuning({ webhookTimeoutMs: 60_000 }),
      WEBHOOK_ALLOWED_TARGETS: '127.0.0.1',
    });
    try {
      for (let part = 1; part < PARTS; part++) {
        await falls(() => emitted.size - receiver.counts.size, emitted.size * (1 - part / PARTS), 20);
        dispatchers.killOldest();
      }
      await falls(() => db.delivery.count({ where: { state: 'owed' } }), 1, 200);
      const received = [...receiver.counts.values()].reduce((sum, count) => sum + count, 0);
      const duplicates = received - emitted.size;
      process.stdout.write(`${store}: ${emitted.size} events, ${PARTS - 1} kills, ${duplicates} received twice\n`);
      expect([...receiver.counts.keys()].filter((id) => !emitted.has(id))).toEqual([]);
      expect(receiver.counts.size).toBe(emitted.size);
      expect(duplicates).toBeLessThanOrEqual((PARTS - 1) * MAX_TWICE_PER_KILL);
      // However often an event was sent, its success is recorded once.
      expect(await db.deliveryAttempt.count({ where: { statusCode: 200 } })).toBe(emitted.size);
      expect(await db.delivery.count({ where: { state: 'delivered' } })).toBe(emitted.size);
    } finally {
      await dispatchers.stop();
      await Promise.all([receiver.close(), queue.close(), db.$disconnect()]);
      await database.close();
    }
  },
  1_800_000,
);

/** Waits until a number is below `limit`: as long as a slow machine takes, provided that the number falls. */
async function falls(read: () => number | Promise<number>, limit: number, everyMs: number): Promise<void> {
  for (let now = await read(); now >= limit; )
    now = await eventually(
      async () => {
        const next = await read();
        expect(next).toBeLessThan(now);
        return next;
      },
      { everyMs },
    );
}

/** Stores `count` events, pending for a few endpoints of one receiver. @returns their ids. */
async function emit(db: Db, url: string, count: number): Promise<Set<string>> {
  const secretCipher = createSecretCipher(KEY);
  const now = new Date();
  for (let n = 0; n < ENDPOINTS; n++) {
    const accountId = await newAccount(db, now);
    const sealed = secretCipher.encrypt(newSecret(randomBytes(32)));
    const { id, events, failingSince } = {
      ...(await newWebhook(db, accountId, now, { url: `${url}/${n}`, encryptedSecret: sealed })),
      failingSince: null,
    };
    for (let at = 0; at < count / ENDPOINTS; at += 1000) {
      const emitted = Array.from({ length: 1000 }, () => ({
        event: 'tracking_update' as const,
        accountId,
        tracking: {
          id: randomBytes(12).toString('hex'),
          trackingNumber: 'YT8000000000001',
          carrier: 'yto',
          seq: 1,
          status: '查询中' as const,
          subStatus: 'in_transit' as const,
          scans: [],
        },
      }));
      await db.$hotTransaction((tx) => storeMessages(tx, emitted, [{ id, accountId, events, failingSince }], now));
    }
  }
  const messages = await db.message.findMany({ select: { id: true } });
  return new Set(messages.map(({ id }) => id));
}

/** A receiver that counts how often it got each message. */
async function startCounting() {
  const counts = new Map<string, number>();
  const server = await serve((request, response) => {
    const id = String(request.headers['x-webhook-id']);
    request.resume().on('end', () => {
      counts.set(id, (counts.get(id) ?? 0) + 1);
      response.end();
    });
  });
  return { counts, ...server };
}

/** Two dispatchers, like two pods; a killed one is started again. */
function startPair(env: Record<string, string>) {
  const start = () =>
    spawn(process.execPath, ['apps/webhook-dispatcher/dist/webhook-dispatcher.mjs'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const children: ChildProcess[] = [start(), start()];
  return {
    killOldest() {
      const oldest = children.shift();
      oldest?.kill('SIGKILL');
      children.push(start());
    },
    stop: () => Promise.all(children.map((child) => endProcess(child, 'SIGTERM'))),
  };
}
