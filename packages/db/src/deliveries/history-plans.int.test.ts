import { lowestId } from '@pts/core/id';
import type { EndpointKey } from '@pts/core/webhook/endpoint';
import { messageIdAt } from '@pts/core/webhook/push';
import { openTestDatabase, PATIENT } from '@pts/testing/database';
import { allDue, attemptOf, keyOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { deliveriesOf } from '../accounts/personal-data.ts';
import { openDatabase } from '../connection.ts';
import { findPlaceBefore, findStanding, listEvents } from '../feed.ts';
import { learnLanes } from '../lanes.ts';
import { beginHistory, partitionsOf } from '../testing/history.ts';
import { pendingOf } from '../webhooks.ts';
import { loadDue, recordAttempts } from './attempts.ts';
import { findAttempt, listAttempts, messagesOfTracking, newestRecord, walkLastRecords } from './log.ts';
import { cancelPending, pendingEndpoints, supersedePending } from './pending.ts';
import { prune, rotateHistory } from './retention.ts';
import { beginRound, countReplay, feedReplays, findRedelivery, requeue, startReplay } from './send-again.ts';

const DAY_MS = 24 * 3_600_000;
const NOW = new Date();
const days = (count: number) => new Date(NOW.getTime() + count * DAY_MS);
const DAYS = 40;

const { db: setup, url, close } = await openTestDatabase(1);
// One connection, which keeps plans that are made for any value.
const db = openDatabase({ url, poolSize: 1, preparedStatements: 'on', ...PATIENT });
afterAll(async () => {
  await db.$disconnect();
  await close();
});

let accountId: string;
let webhookId: string;
/** Attempts by their age in days. */
const records = new Map<number, { id: string; messageId: string; trackingId: string }>();

/** A delivered event for each of forty days; the attempts have the ids of their days. */
beforeAll(async () => {
  await beginHistory(setup, days(-DAYS));
  accountId = await newAccount(setup, days(-DAYS));
  webhookId = (await newWebhook(setup, accountId, days(-DAYS))).id;
  for (let age = DAYS; age >= 0; age -= 1) {
    await rotateHistory(setup, { retentionDays: 30, now: days(-age) });
    const { messageId, trackingId, ...delivery } = await deliver(days(-age));
    const id = lowestId(days(-age));
    await setup.$executeRaw`UPDATE delivery_attempts SET id = ${id} WHERE delivery_id = ${BigInt(delivery.deliveryId)}`;
    records.set(age, { id, messageId, trackingId });
  }
  await setup.$executeRaw`
    INSERT INTO delivery_attempts (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, duration_ms)
    SELECT lpad(to_hex(floor(extract(epoch FROM at))::bigint), 8, '0') || lpad(to_hex(n), 16, '0'), -n, lpad(n::text, 24, '0'), 'w', lpad((n % 100)::text, 24, 'a'), 'tracking_update', 1, at, 200, 5
    FROM (SELECT n, ${days(-DAYS).toISOString()}::timestamptz + n * interval '5 minutes' AS at FROM generate_series(1, 11500) n) t`;
  await setup.$executeRaw`
    WITH stored AS (
      INSERT INTO messages (id, account_id, tracking_id, event, seq, body, created_at)
      SELECT history_id_at(at) || lpad(n::text, 20, '0'), lpad((n % 100)::text, 24, 'a'), lpad(n::text, 24, '0'), 'tracking_update', 1, '{}', at
      FROM (SELECT n, ${days(-DAYS).toISOString()}::timestamptz + n * interval '5 minutes' AS at FROM generate_series(1, 11500) n) t
      RETURNING id, account_id, created_at)
    INSERT INTO deliveries (message_id, webhook_id, account_id, state, created_at) SELECT id, 'w', account_id, 'delivered', created_at FROM stored`;
  await setup.$executeRaw`ANALYZE delivery_attempts, deliveries, messages`;
  await db.$executeRaw`SET plan_cache_mode = force_generic_plan`;
}, 120_000);

async function deliver(at: Date) {
  await newDeliveries(setup, accountId, at);
  const delivery = (await loadDue(setup, [allDue({ id: webhookId, accountId })], NOW)).at(-1);
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

type Use = { name: string; table: string; isFilled: boolean; scans: number; rows: number; written: number };

/** What was done with partitions so far. Pages would include those that planning reads. */
async function usesSoFar(): Promise<Use[]> {
  for (const each of [setup, db]) {
    await each.$executeRaw`SELECT pg_stat_force_next_flush()`;
    await each.$executeRaw`SELECT 1`;
  }
  return db.$queryRaw`
    SELECT p.name, p."table", p.is_filled AS "isFilled", (seq_scan + idx_scan)::float8 AS scans,
      (seq_tup_read + idx_tup_fetch)::float8 AS rows, n_tup_ins::float8 AS written
    FROM history_partitions p JOIN pg_stat_user_tables ON relname = p.name ORDER BY p.name`;
}

/** What is done with each partition. */
async function usesBy(statement: () => Promise<unknown>): Promise<Use[]> {
  const before = await usesSoFar();
  await statement();
  return (await usesSoFar()).map((use, index) => ({
    ...use,
    scans: use.scans - (before[index]?.scans ?? 0),
    rows: use.rows - (before[index]?.rows ?? 0),
    written: use.written - (before[index]?.written ?? 0),
  }));
}

/** By table, the partitions with rows that a statement uses. */
async function partitionsUsedBy(statement: () => Promise<unknown>): Promise<Record<string, string[]>> {
  const used: Record<string, string[]> = {};
  for (const { table, name, isFilled, scans, written } of await usesBy(statement))
    if ((isFilled && scans > 0) || written > 0) used[table] = [...(used[table] ?? []), name];
  return used;
}

test.each<[string, () => Promise<unknown>]>([
  ['a record with the other attempts', () => findAttempt(db, accountId, recordOf(1).id)],
  ['what a redelivery needs', () => findRedelivery(db, accountId, recordOf(25).id)],
  ['a redelivery', () => beginRound(db, { accountId, recordId: recordOf(25).id, now: NOW })],
  ['the log of a message', () => listAttempts(db, { accountId, messageId: recordOf(1).messageId, limit: 50 })],
  ['the events of a parcel', () => messagesOfTracking(db, { accountId, id: recordOf(1).trackingId })],
  ['the newest record', () => newestRecord(db)],
  [
    'a copy of the deliveries of some messages',
    () => deliveriesOf(db, accountId, [recordOf(2).messageId, recordOf(1).messageId]),
  ],
  [
    'the last records of a message',
    () => {
      const filter = { accountId, messageId: recordOf(1).messageId, ceiling: lowestId(days(1)) };
      return walkLastRecords(db, filter, { before: lowestId(days(1)), depth: 50 });
    },
  ],
  [
    'recent arrivals',
    async () => {
      await setup.$executeRaw`UPDATE lane_progress SET learned_until = ${days(-1)}`;
      await learnLanes(db, () => [], NOW);
    },
  ],
])('%s uses one or two partitions of a table', async (_what, statement) => {
  expect((await partitionsOf(setup)).length).toBeGreaterThan(6);
  // Once its plan is kept.
  await statement();
  const used = await partitionsUsedBy(statement);
  expect(Object.keys(used)).not.toEqual([]);
  expect(Object.values(used).filter(({ length }) => length > 2)).toEqual([]);
});

test('while all partitions have their usual width, deleting row by row uses none', async () => {
  const deleting = () => prune(db, { before: days(-30), overdue: days(-39), batch: 10 });
  await deleting();
  expect(await partitionsUsedBy(deleting)).toEqual({});
});

test('an event, its delivery and its attempt are written to one partition each', async () => {
  const stored = await partitionsUsedBy(() => newDeliveries(setup, accountId, NOW));
  expect([stored.messages?.length, stored.deliveries?.length]).toEqual([1, 1]);
  const due = await loadDue(setup, [allDue({ id: webhookId, accountId })], NOW);
  const outcomes = due.filter(({ fresh }) => fresh).map((delivery) => attemptOf(delivery, { startedAt: NOW }));
  const recorded = await partitionsUsedBy(() => recordAttempts(db, outcomes));
  expect([recorded.deliveries?.length, recorded.delivery_attempts?.length]).toEqual([1, 1]);
});

test.each([
  ['a replay', { filter: null }],
  ['a replay with a filter', { filter: { carriers: ['yto'] } }],
  ['what a disabled endpoint missed', { filter: null, missedFrom: days(-2) }],
])('a page of %s reads the messages of one or two partitions', async (_what, more) => {
  const range = { events: ['tracking_update'], ...more, since: days(-2), until: days(-1) };
  const start = () => startReplay(setup, { webhookId, accountId, ...range, now: NOW });
  await start();
  await feedReplays(db, NOW);
  await start();
  const used = await partitionsUsedBy(() => feedReplays(db, NOW));
  expect(used.messages).not.toHaveLength(0);
  expect(used.messages?.length).toBeLessThanOrEqual(2);
});

/** What has no time: it may be of any. */
test.each<[string, () => Promise<unknown>]>([
  ['what is due to an endpoint', () => loadDue(db, [allDue({ id: webhookId, accountId })], NOW)],
  ['endpoints with pending deliveries', () => pendingEndpoints(db)],
  ['how much is pending', () => pendingOf(db, [{ id: webhookId, accountId }])],
  [
    'the size of a replay',
    () =>
      countReplay(db, {
        webhookId,
        accountId,
        events: ['tracking_update'],
        filter: null,
        since: days(-2),
        until: days(-1),
      }),
  ],
  ['a page of the feed', () => listEvents(db, { accountId, after: { xact: 0n, position: 0n }, limit: 5 })],
  ['the end of the feed', () => findPlaceBefore(db, { accountId, count: 5 })],
  [
    'a cursor of another server',
    async () => {
      const { id: epochId } = await db.feedEpoch.findFirstOrThrow();
      return findStanding(db, { accountId, epochId, place: { xact: 2n ** 40n, position: 0n } });
    },
  ],
])('%s: of each partition hardly a row is read', async (_what, statement) => {
  await newDeliveries(setup, accountId, NOW);
  await statement();
  const used = await usesBy(statement);
  const rows = used.filter(({ table }) => table !== 'delivery_attempts').reduce((sum, use) => sum + use.rows, 0);
  expect(rows).toBeGreaterThan(0);
  expect(rows).toBeLessThan(30);
});

/** An endpoint to which three updates of one parcel are pending: two first attempts, and a late one. */
async function endpointWithPending(fields: object): Promise<{ endpoint: EndpointKey; partitions: string[] }> {
  const endpoint = keyOf(await newWebhook(setup, accountId, NOW, { events: [] }));
  await setup.webhook.update({ where: { id: endpoint.webhookId }, data: fields });
  for (const age of [12, 11, 10]) {
    const { messageId: id } = recordOf(age);
    await setup.message.update({ where: { id }, data: { trackingId: recordOf(12).trackingId, seq: 20 - age } });
    await setup.delivery.create({
      data: { ...endpoint, messageId: id, fresh: age > 10, nextAttemptAt: days(1), createdAt: NOW },
    });
  }
  const holding = await setup.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT tableoid::regclass::text AS name FROM deliveries WHERE webhook_id = ${endpoint.webhookId}`;
  return { endpoint, partitions: holding.map(({ name }) => name) };
}

test.each<[string, object, number, (endpoint: EndpointKey) => Promise<number>]>([
  ['is cancelled', { enabled: false }, 3, (endpoint) => cancelPending(db, endpoint, 40)],
  [
    'is superseded',
    { supersede: true, failingSince: NOW },
    2,
    async (endpoint) => (await supersedePending(db, endpoint, { after: null, limit: 40, now: NOW })).dropped,
  ],
  ['is queued again', {}, 1, (endpoint) => requeue(db, endpoint, NOW)],
])('what %s is found by its indexes, and written where it is', async (_what, fields, count, statement) => {
  const { endpoint, partitions } = await endpointWithPending(fields);
  let changed = 0;
  const used = await usesBy(async () => {
    changed = await statement(endpoint);
  });
  expect(changed).toBe(count);
  expect(used.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(30);
  // One look into each index of what is pending.
  const elsewhere = used.filter(({ table, name }) => table === 'deliveries' && !partitions.includes(name));
  expect(Math.max(...elsewhere.map(({ scans }) => scans))).toBeLessThanOrEqual(2);
});

test('a rotation reads one pending delivery of a partition, however many there are', async () => {
  // From before all else that is pending: the redelivery above is 25 days old.
  const [low, high] = [messageIdAt(days(-28)), messageIdAt(days(-12))];
  const pending = await setup.$executeRaw`
    UPDATE deliveries SET state = 'owed' WHERE webhook_id = 'w' AND message_id >= ${low} AND message_id < ${high}`;
  expect(pending).toBeGreaterThan(1000);
  const { begins } = (await partitionsOf(setup, 'messages')).findLast(
    ({ begins }) => begins !== null && begins <= Number.parseInt(low, 16),
  ) ?? { begins: null };
  let edge: unknown;
  const used = await usesBy(async () => {
    edge =
      await db.$queryRaw`SELECT history_edge('messages', history_period(${days(-5).toISOString()}::timestamptz)) AS edge`;
  });
  expect(edge).toEqual([{ edge: begins }]);
  expect(used.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(30);
});
