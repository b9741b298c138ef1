import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { attemptOf, newAccount, newWebhook } from '@pts/testing/factories';
import type { Db } from '../connection/client.ts';
import { freshId } from '../connection/ids.ts';
import { recordAttempts } from './attempts.ts';
import { feedReplays, startReplay } from './replays.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

let database: OpenTestDatabase;
let db: Db;
beforeEach(async () => {
  database = await openTestDatabase(10);
  db = database.db;
});
afterEach(() => database.close());

/** Three messages, stored in this order, that are pending for an endpoint, and a replay of them. */
async function pendingReplay(order: readonly [number, number, number]) {
  const accountId = await newAccount(db, NOW);
  const { id: webhookId } = await newWebhook(db, accountId, NOW);
  const ids = [freshId(NOW), freshId(NOW), freshId(NOW)].sort();
  const [message, createdAt] = [{ accountId, event: 'tracking_update', body: '{}' }, ago(60)];
  for (const place of order) {
    const messageId = ids[place] ?? '';
    await db.message.create({ data: { id: messageId, ...message, createdAt } });
    await db.delivery.create({ data: { messageId, webhookId, accountId, nextAttemptAt: NOW } });
  }
  const range = { since: ago(3600), until: NOW, events: ['tracking_update'] };
  await startReplay(db, { webhookId, accountId, ...range, now: NOW });
  const outcomes = ids.map((messageId) =>
    attemptOf(
      {
        ...{ deliveryId: '1', messageId, webhookId, accountId, trackingId: null, event: 'tracking_update', body: '{}' },
        ...{ attempt: 1, round: 0, fresh: true, requestId: null, traceparent: null, storedAt: NOW, url: '' },
        ...{ encryptedSecret: '', previousEncryptedSecret: null, previousUntil: null, failingSince: null },
        ...{ retiredSecrets: [], retiredUntil: [] },
      },
      { startedAt: NOW },
    ),
  );
  return { ids, outcomes };
}

const waiting = async () => {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count;
};

test.each([
  ['in the order of their ids', [0, 1, 2]],
  ['in the opposite order', [2, 1, 0]],
] as const)('a replay of messages stored %s and the record of their attempts do not deadlock', async (_, order) => {
  for (const sorted of [true, false]) {
    const { ids, outcomes } = await pendingReplay(order);
    const second = { messageId: ids[1] ?? '' };
    let both: Promise<unknown>[] = [];
    await db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM deliveries WHERE message_id = ${second.messageId} FOR UPDATE`;
        both = [feedReplays(db, NOW), recordAttempts(db, sorted ? outcomes : outcomes.toReversed())];
        await eventually(async () => expect(await waiting()).toBe(2));
      },
      { timeout: 30_000 },
    );
    await Promise.all(both);
    expect(await db.deliveryAttempt.count({ where: { messageId: { in: ids } } })).toBe(3);
  }
});
