import { attemptIdAt } from '@pts/core/webhook/attempt-id';
import { openTestDatabase } from '@pts/testing/database';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { openDatabase } from '../connection/client.ts';
import { beginHistory, partitionsOf } from '../testing/history.ts';
import { loadDue, recordAttempts } from './attempts.ts';
import { rotateHistory } from './history.ts';
import { newestRecord, walkLastRecords } from './last-records.ts';
import { listAttempts } from './log.ts';
import { messagesOfTracking } from './of-tracking.ts';
import { findAttempt } from './record.ts';
import { beginRound, findRedelivery } from './redeliver.ts';
import { prune } from './retention.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = new Date();
const days = (count: number) => new Date(NOW.getTime() + count * DAY_MS);
const DAYS = 40;

const { db: setup, url, close } = await openTestDatabase(1);
// One connection, which keeps plans that are made for any value.
const db = openDatabase({ url, poolSize: 1, preparedStatements: 'on' });
afterAll(async () => {
  await db.$disconnect();
  await close();
});

let accountId: string;
let webhookId: string;
/** Attempts by their age in days. */
const records = new Map<number, { id: bigint; messageId: string; trackingId: string }>();

/** A delivered event for each of forty days; the attempts have the ids of their days. */
beforeAll(async () => {
  await beginHistory(setup, days(-DAYS));
  accountId = await newAccount(setup, days(-DAYS));
  webhookId = (await newWebhook(setup, accountId, days(-DAYS))).id;
  for (let age = DAYS; age >= 0; age -= 1) {
    await rotateHistory(setup, { retentionDays: 30, now: days(-age) });
    const { messageId, trackingId, ...delivery } = await deliver(days(-age));
    const id = attemptIdAt(days(-age)) + BigInt(age);
    await setup.$executeRaw`UPDATE delivery_attempts SET id = ${id} WHERE delivery_id = ${BigInt(delivery.deliveryId)}`;
    records.set(age, { id, messageId, trackingId });
  }
  await setup.$executeRaw`
    INSERT INTO delivery_attempts (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, duration_ms)
    SELECT attempt_id_at(at) + 1000 + n, -n, lpad(n::text, 24, '0'), 'w', lpad((n % 100)::text, 24, 'a'), 'tracking_update', 1, at, 200, 5
    FROM (SELECT n, ${days(-DAYS).toISOString()}::timestamptz + n * interval '5 minutes' AS at FROM generate_series(1, 11500) n) t`;
  await setup.$executeRaw`ANALYZE delivery_attempts, deliveries, messages`;
  await db.$executeRaw`SET plan_cache_mode = force_generic_plan`;
}, 120_000);

async function deliver(at: Date) {
  await newDeliveries(setup, accountId, at);
  const delivery = (await loadDue(setup, [allDue(webhookId)], NOW)).at(-1);
  const trackingId = delivery?.trackingId;
  if (!delivery || !trackingId) throw new Error('no event of a parcel is due');
  await recordAttempts(setup, [attemptOf(delivery, { startedAt: at })]);
  return { ...delivery, trackingId };
}

function recordOf(age: number) {
  const record = records.get(age);
  if (!record) throw new Error(`there is no attempt of ${age} days`);
  return record;
}

/** The scans of partitions so far, and the rows written to them. Pages would include those that planning reads. */
async function usesSoFar(): Promise<Map<string, number>> {
  for (const each of [setup, db]) {
    await each.$executeRaw`SELECT pg_stat_force_next_flush()`;
    await each.$executeRaw`SELECT 1`;
  }
  const read = await db.$queryRaw<{ name: string; count: number }[]>`
    SELECT relname AS name, (seq_scan + idx_scan + n_tup_ins)::float8 AS count FROM pg_stat_user_tables WHERE relname LIKE 'delivery\\_attempts\\_%'`;
  return new Map(read.map(({ name, count }) => [name, count]));
}

/** The partitions with rows that a statement reads once its plan is kept. */
async function partitionsReadBy(statement: () => Promise<unknown>): Promise<string[]> {
  await statement();
  const before = await usesSoFar();
  await statement();
  const after = await usesSoFar();
  const filled = await setup.$queryRaw<{ name: string }[]>`SELECT name FROM history_partitions WHERE is_filled`;
  return filled.map(({ name }) => name).filter((name) => after.get(name) !== before.get(name));
}

test.each<[string, () => Promise<unknown>]>([
  ['a record with the other attempts', () => findAttempt(db, accountId, recordOf(1).id)],
  ['what a redelivery needs', () => findRedelivery(db, accountId, recordOf(25).id)],
  ['a redelivery', () => beginRound(db, { accountId, recordId: recordOf(25).id, now: NOW })],
  ['the log of a message', () => listAttempts(db, { accountId, messageId: recordOf(1).messageId, limit: 50 })],
  ['the events of a parcel', () => messagesOfTracking(db, { accountId, id: recordOf(1).trackingId })],
  ['the newest record', () => newestRecord(db)],
  [
    'the last records of a message',
    () => {
      const filter = { accountId, messageId: recordOf(1).messageId, ceiling: attemptIdAt(days(1)) };
      return walkLastRecords(db, filter, { before: attemptIdAt(days(1)), depth: 50 });
    },
  ],
  ['deleting row by row', () => prune(db, { before: days(-30), overdue: days(-39), batch: 10 })],
])('%s reads one or two partitions', async (_what, statement) => {
  expect((await partitionsOf(setup)).length).toBeGreaterThan(6);
  const read = await partitionsReadBy(statement);
  expect([read.length > 0, read.length <= 2, read]).toEqual([true, true, read]);
});

test('an attempt is written to one partition', async () => {
  const before = await usesSoFar();
  await deliver(NOW);
  const after = await usesSoFar();
  expect(Array.from(after.keys()).filter((name) => after.get(name) !== before.get(name))).toHaveLength(1);
});
