import { messageIdAt } from '@pts/core/webhook/push';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { allDue, attemptOf, keyOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { disableAccount } from '../accounts/accounts.ts';
import type { Db } from '../connection.ts';
import { freshId } from '../ids.ts';
import { readSoFar, withoutAutovacuum } from '../testing/parcel-states.ts';
import { disableEndpoint } from '../webhooks.ts';
import { loadDue, recordAttempts } from './attempts.ts';
import { countReplay, endReplay, feedReplays, listReplays, REPLAY_PAGE, startReplay } from './send-again.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const HOUR = 3600;

let database: OpenTestDatabase;
let db: Db;
beforeEach(async () => {
  database = await openTestDatabase(10);
  db = database.db;
});
afterEach(() => database.close());

type Range = { from?: number; to?: number; events?: string[] };

/** An account with an endpoint and these messages; `replay` starts a replay. */
async function history(messages: { at: number; event?: string }[]) {
  const account = await newAccount(db, NOW);
  const ids: string[] = [];
  for (const { at, event = 'tracking_update' } of messages) {
    const id = freshId(later(at));
    await db.message.create({ data: { id, accountId: account, event, body: '{}', createdAt: later(at) } });
    ids.push(id);
  }
  const webhook = await newWebhook(db, account, NOW);
  const replay = ({ from = -HOUR, to = 0, events = ['tracking_update'] }: Range = {}) =>
    startReplay(db, {
      webhookId: webhook.id,
      accountId: account,
      events,
      filter: null,
      since: later(from),
      until: later(to),
      now: NOW,
    });
  const pending = async () => (await loadDue(db, [allDue(webhook)], NOW)).map(({ messageId }) => messageId);
  const count = (state = 'owed') => db.delivery.count({ where: { webhookId: webhook.id, state } });
  const state = async () => (await listReplays(db, account, webhook.id))[0];
  const settle = () =>
    db.delivery.updateMany({ where: { webhookId: webhook.id }, data: { state: 'delivered', nextAttemptAt: null } });
  return { account, webhook, ids, replay, pending, count, state, settle };
}

const many = (count: number, at = -60) => Array.from({ length: count }, () => ({ at }));

/** Inserts many messages of an account at once. */
async function bulk(accountId: string, count: number, at: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO messages (id, account_id, event, body, created_at)
    SELECT ${messageIdAt(later(at))} || left(md5(${accountId} || n), 20), ${accountId}, 'tracking_update', '{}', ${later(at)}::timestamptz
    FROM generate_series(1, ${count}::int) n`;
}

describe('a replay', () => {
  test('reads as much for each page, however many messages are left', async () => {
    const { account, replay, settle, state } = await history([]);
    await withoutAutovacuum(db);
    const pages = 20;
    await bulk(account, pages * REPLAY_PAGE, -60);
    await db.$executeRaw`ANALYZE messages, deliveries`;
    const beforeStart = await readSoFar(db);
    await replay();
    expect((await readSoFar(db)).rows - beforeStart.rows).toBeLessThan(2 * pages * REPLAY_PAGE);
    for (let page = 1; page <= 3; page++) {
      const before = await readSoFar(db);
      await feedReplays(db, NOW);
      const after = await readSoFar(db);
      expect(await state()).toMatchObject({ replayed: page * REPLAY_PAGE });
      // The message, the same once more as it is locked, and whether there is a delivery.
      expect(after.rows - before.rows).toBeLessThan(5 * REPLAY_PAGE);
      await settle();
    }
  });

  test('makes the messages of its time pending, in their order, for an endpoint that never had them', async () => {
    const { webhook, ids, replay, pending, state } = await history([
      ...[{ at: -2 * HOUR }, { at: -HOUR - 1 }, { at: -HOUR }, { at: -30 }, { at: -30, event: 'tracking_delivered' }],
      ...[{ at: -30 }, { at: -1 }, { at: 0 }, { at: 10 * HOUR }],
    ]);
    const wanted = { ...keyOf(webhook), events: ['tracking_update'], filter: null, since: later(-HOUR), until: NOW };
    expect(await countReplay(db, wanted)).toBe(4);
    expect(await state()).toBeUndefined();
    expect(await replay()).toMatchObject({ state: 'running', total: 4, replayed: 0 });
    expect(await feedReplays(db, NOW)).toEqual({ pending: [{ ...keyOf(webhook), isFailing: false }], more: false });
    expect(await pending()).toEqual([ids[2], ids[3], ids[5], ids[6]]);
    expect(await state()).toMatchObject({ state: 'done', replayed: 4, finishedAt: NOW });
    expect(await feedReplays(db, NOW)).toEqual({ pending: [], more: false });
  });

  test('settled and waiting deliveries get a new round; due ones, and those of other endpoints, do not change', async () => {
    const { account, webhook, replay, count } = await history([]);
    const other = await newWebhook(db, account, NOW);
    for (let n = 0; n < 5; n++) await newDeliveries(db, account, later(-60));
    const [first, second, third, fourth, fifth] = await db.delivery.findMany({
      where: { webhookId: webhook.id },
      orderBy: { id: 'asc' },
    });
    const settle = (id: bigint | undefined, state: string, nextAttemptAt: Date | null = null) =>
      db.delivery.updateMany({ where: { id: id ?? 0n }, data: { state, attempts: 3, nextAttemptAt, fresh: false } });
    await settle(first?.id, 'delivered');
    await settle(second?.id, 'exhausted');
    await settle(fourth?.id, 'owed', later(9 * HOUR));
    await settle(fifth?.id, 'owed', later(-1));
    await replay();
    await feedReplays(db, NOW);
    const rows = await db.delivery.findMany({ where: { webhookId: webhook.id }, orderBy: { id: 'asc' } });
    expect(rows).toMatchObject([
      { id: first?.id, state: 'owed', attempts: 0, round: 1, fresh: false },
      { id: second?.id, state: 'owed', attempts: 0, round: 1, fresh: false },
      { id: third?.id, state: 'owed', attempts: 0, round: 0, fresh: true },
      { id: fourth?.id, state: 'owed', attempts: 0, round: 1, fresh: false },
      { id: fifth?.id, state: 'owed', attempts: 3, round: 0, fresh: false, nextAttemptAt: later(-1) },
    ]);
    expect(rows[3]?.nextAttemptAt?.getTime()).toBeLessThanOrEqual(NOW.getTime());
    expect(await count()).toBe(5);
    expect(await db.delivery.count({ where: { webhookId: other.id, round: 0, fresh: true } })).toBe(5);
    await replay();
    await feedReplays(db, later(-10));
    expect(await db.delivery.count({ where: { webhookId: webhook.id, round: { gt: 1 } } })).toBe(0);
  });

  test('a page at a time, the next once few of it are pending', async () => {
    const { account, replay, count, state, settle } = await history([]);
    await bulk(account, 2 * REPLAY_PAGE + 7, -60);
    await replay();
    expect(await feedReplays(db, NOW)).toMatchObject({ more: true });
    expect(await feedReplays(db, NOW)).toEqual({ pending: [], more: false });
    expect(await count()).toBe(REPLAY_PAGE);
    expect(await state()).toMatchObject({ state: 'running', total: 2 * REPLAY_PAGE + 7, replayed: REPLAY_PAGE });
    await settle();
    await feedReplays(db, NOW);
    await settle();
    expect(await feedReplays(db, NOW)).toMatchObject({ more: false });
    expect([await count('delivered'), await count()]).toEqual([2 * REPLAY_PAGE, 7]);
    expect(await state()).toMatchObject({ state: 'done', replayed: 2 * REPLAY_PAGE + 7 });
  });

  test('does not wait for retries of an outage that is over, which are due much later', async () => {
    const { account, webhook, replay, count, state } = await history([]);
    await bulk(account, REPLAY_PAGE + 7, -60);
    await replay();
    await feedReplays(db, NOW);
    await db.delivery.updateMany({ where: { webhookId: webhook.id }, data: { nextAttemptAt: later(9 * HOUR) } });
    await db.webhook.update({ where: { id: webhook.id }, data: { failingSince: NOW } });
    await feedReplays(db, NOW);
    expect(await count()).toBe(REPLAY_PAGE);
    await db.webhook.update({ where: { id: webhook.id }, data: { failingSince: null } });
    await feedReplays(db, NOW);
    expect(await count()).toBe(REPLAY_PAGE + 7);
    expect(await state()).toMatchObject({ state: 'done', replayed: REPLAY_PAGE + 7 });
  });

  test('skips events that the endpoint does not subscribe to without waiting', async () => {
    const { account, replay, pending, state } = await history([]);
    await bulk(account, 2 * REPLAY_PAGE, -60);
    const delivered = { id: freshId(later(-30)), accountId: account, event: 'tracking_delivered', body: '{}' };
    await db.message.create({ data: { ...delivered, createdAt: later(-30) } });
    await replay({ events: ['tracking_delivered'] });
    expect([await feedReplays(db, NOW), await feedReplays(db, NOW)]).toMatchObject([{ more: true }, { more: true }]);
    await feedReplays(db, NOW);
    expect(await pending()).toEqual([delivered.id]);
    expect(await state()).toMatchObject({ state: 'done', total: 1, replayed: 1 });
  });

  test('live events do not wait for it and do not delay it', async () => {
    const { account, webhook, replay, pending, ids } = await history(many(3));
    for (let n = 0; n < 2; n++) await newDeliveries(db, account, later(1));
    await replay();
    await feedReplays(db, NOW);
    const due = await loadDue(db, [allDue(webhook)], NOW);
    expect(due.map(({ fresh }) => fresh)).toEqual([true, true, false, false, false]);
    expect((await pending()).slice(2)).toEqual(ids);
  });

  test('any number of feeders at once make each message pending once', async () => {
    const given = await Promise.all([history([]), history([])]);
    for (const { account, replay } of given) {
      await bulk(account, 120, -60);
      await replay();
    }
    await Promise.all(Array.from({ length: 8 }, () => feedReplays(db, NOW)));
    for (const { count, state } of given) {
      expect(await count()).toBe(120);
      expect(await state()).toMatchObject({ state: 'done', replayed: 120 });
    }
    expect(await db.delivery.count({ where: { round: { gt: 0 } } })).toBe(0);
  });

  test('many endpoints are fed in one call', async () => {
    const given = [];
    for (let n = 0; n < 12; n++) given.push(await history(many(1)));
    for (const { replay } of given) await replay();
    expect((await feedReplays(db, NOW)).pending.map(({ webhookId }) => webhookId).sort()).toEqual(
      given.map(({ webhook }) => webhook.id).sort(),
    );
  });

  test('ends when the endpoint or the account is disabled, or the replay is cancelled', async () => {
    const [disabled, left, cancelled] = [await history(many(2)), await history(many(2)), await history(many(2))];
    await disabled.replay();
    await left.replay();
    await disableAccount(db, left.account, NOW);
    const { id = '' } = (await cancelled.replay()) ?? {};
    await disableEndpoint(db, keyOf(disabled.webhook), 'its account wanted it', NOW);
    await endReplay(db, { accountId: cancelled.account, webhookId: cancelled.webhook.id, id }, NOW);
    expect(await feedReplays(db, NOW)).toEqual({ pending: [], more: false });
    for (const { state, count } of [disabled, left, cancelled]) {
      expect(await state()).toMatchObject({ state: 'cancelled', replayed: 0, finishedAt: NOW });
      expect(await count()).toBe(0);
    }
  });

  test('of an endpoint that has been deleted does not exist', async () => {
    const { webhook, replay } = await history(many(1));
    await db.webhook.delete({ where: { id: webhook.id } });
    expect(await replay()).toBeNull();
    expect(await db.replay.count()).toBe(0);
  });

  test("another account's messages are never sent", async () => {
    const [mine, other] = [await history(many(2)), await history([])];
    await bulk(other.account, 5, -60);
    expect(await mine.replay()).toMatchObject({ total: 2 });
    await feedReplays(db, NOW);
    expect(await mine.pending()).toEqual(mine.ids);
    expect(await db.delivery.count({ where: { accountId: other.account } })).toBe(0);
  });
});

/**
 * Three messages, stored in this order, that are pending for an endpoint, a replay of them, and their attempts in the
 * order of their ids.
 */
async function pendingReplay(order: readonly [number, number, number]) {
  const accountId = await newAccount(db, NOW);
  const webhook = await newWebhook(db, accountId, NOW);
  const ids = [freshId(NOW), freshId(NOW), freshId(NOW)].sort();
  const [message, createdAt] = [{ accountId, event: 'tracking_update', body: '{}' }, later(-60)];
  for (const place of order) {
    const messageId = ids[place] ?? '';
    await db.message.create({ data: { id: messageId, ...message, createdAt } });
    await db.delivery.create({ data: { messageId, webhookId: webhook.id, accountId, nextAttemptAt: NOW } });
  }
  const range = { since: later(-HOUR), until: NOW, events: ['tracking_update'], filter: null };
  await startReplay(db, { webhookId: webhook.id, accountId, ...range, now: NOW });
  const due = await loadDue(db, [allDue(webhook)], NOW);
  const outcomes = due
    .toSorted((one, other) => ids.indexOf(one.messageId) - ids.indexOf(other.messageId))
    .map((delivery) => attemptOf(delivery, { startedAt: NOW }));
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
