import { PATIENT, testDatabase } from '@pts/testing/database';
import { allDue, attemptOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import pg from 'pg';
import { type Db, openDatabase, type SendHot } from '../connection.ts';
import { pruneIn } from '../testing/history.ts';
import type { Webhook } from '../webhooks.ts';
import { loadDue, recordAttempts } from './attempts.ts';
import { prune } from './retention.ts';
import { beginRound, feedReplays, startReplay } from './send-again.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const days = (count: number) => new Date(NOW.getTime() + count * 24 * 3_600_000);
const LIMIT = { before: days(-30), overdue: days(-30), batch: 1000 };

let database: Awaited<ReturnType<typeof testDatabase>>;
let db: Db;
let other: Db;
beforeEach(async () => {
  database = await testDatabase();
  db = openDatabase({ url: database.url, poolSize: 5, ...PATIENT });
  other = openDatabase({ url: database.url, poolSize: 5, ...PATIENT });
});
afterEach(async () => {
  await Promise.all([db.$disconnect(), other.$disconnect()]);
  await database.close();
});

async function merchant() {
  const account = await newAccount(db, NOW);
  return { account, webhook: await newWebhook(db, account, NOW) };
}

/** An event `at` days ago; delivered, unless `state` says otherwise. */
async function event({ account, webhook }: { account: string; webhook: Webhook }, at: number, state = 'delivered') {
  await newDeliveries(db, account, days(at));
  const due = await loadDue(db, [allDue(webhook)], NOW);
  const delivery = due.at(-1);
  if (!delivery) throw new Error('nothing is due');
  if (state === 'delivered') await recordAttempts(db, [attemptOf(delivery, { startedAt: days(at) })]);
  return delivery;
}

const counts = async () => [await db.message.count(), await db.delivery.count(), await db.deliveryAttempt.count()];

test('only rows older than the limit are deleted: messages, their deliveries, attempts', async () => {
  const given = await merchant();
  for (const at of [-40, -31, -29, 0]) await event(given, at);
  expect(await prune(db, LIMIT)).toBe(4);
  expect(await counts()).toEqual([2, 2, 2]);
  expect((await db.message.findMany()).every(({ createdAt }) => createdAt >= LIMIT.before)).toBe(true);
  expect(await prune(db, LIMIT)).toBe(0);
});

test('a message that is pending for any endpoint stays, with all of its deliveries', async () => {
  const given = await merchant();
  const second = await newWebhook(db, given.account, NOW);
  const pending = await event(given, -40, 'owed');
  await db.delivery.updateMany({ where: { webhookId: second.id }, data: { state: 'delivered', nextAttemptAt: null } });
  await prune(db, LIMIT);
  expect(await db.delivery.count({ where: { messageId: pending.messageId } })).toBe(2);
  await recordAttempts(db, [attemptOf(pending, { startedAt: NOW })]);
  await prune(db, LIMIT);
  expect(await counts()).toEqual([0, 0, 1]);
});

test('a small batch at a time, until fewer than that are left', async () => {
  const given = await merchant();
  for (let n = 0; n < 5; n++) await event(given, -40);
  const pruned = [];
  for (let n = 0; n < 4; n++) pruned.push(await prune(db, { ...LIMIT, batch: 2 }));
  expect(pruned).toEqual([4, 4, 2, 0]);
});

test("the rows that one account keeps do not depend on another's", async () => {
  const [old, young] = [await merchant(), await merchant()];
  await event(old, -40);
  const kept = await event(young, -1);
  await prune(db, LIMIT);
  expect(await db.message.findMany({ select: { id: true } })).toEqual([{ id: kept.messageId }]);
});

test('ended replays are deleted, running ones stay', async () => {
  const { account, webhook } = await merchant();
  const range = { since: days(-50), until: days(-49), events: ['tracking_update'], filter: null };
  const start = () => startReplay(db, { webhookId: webhook.id, accountId: account, ...range, now: days(-40) });
  await start();
  await feedReplays(db, days(-40));
  const running = await start();
  expect(await prune(db, LIMIT)).toBe(1);
  expect(await db.replay.findMany({ select: { id: true } })).toEqual([{ id: running?.id }]);
});

describe('during other writes', () => {
  test('pruning and an attempt being recorded do not wait for each other', async () => {
    const given = await merchant();
    const pending = await event(given, -40, 'owed');
    await event(given, -40);
    const recording = new pg.Client(database.url);
    await recording.connect();
    await recording.query('BEGIN');
    const $hot: SendHot = async (text, values) => (await recording.query(text, [...values])).rows;
    await recordAttempts({ $hot }, [attemptOf(pending, { startedAt: NOW })]);
    expect(await prune(db, LIMIT)).toBe(2);
    await recording.query('COMMIT');
    await recording.end();
    expect(await db.message.findMany({ select: { id: true } })).toEqual([{ id: pending.messageId }]);
  });

  test('locked rows are skipped', async () => {
    const given = await merchant();
    const { messageId } = await event(given, -40);
    await other.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM messages WHERE id = ${messageId} FOR KEY SHARE`;
      await tx.$queryRaw`SELECT 1 FROM delivery_attempts FOR UPDATE`;
      expect(await prune(db, LIMIT)).toBe(0);
    });
    expect(await prune(db, LIMIT)).toBe(2);
  });

  test('new events, their attempts and redeliveries continue while old rows are being deleted', async () => {
    const given = await merchant();
    await event(given, -40);
    const young = await event(given, -1);
    const { id } = await db.deliveryAttempt.findFirstOrThrow({ where: { messageId: young.messageId } });
    await other.$transaction(async (tx) => {
      expect(await pruneIn(tx as Db, LIMIT)).toBe(2);
      await event(given, 0);
      expect(await beginRound(db, { accountId: given.account, recordId: id, now: NOW })).toBe(true);
    });
    expect(await counts()).toEqual([2, 2, 2]);
  });

  test('a message that becomes pending again at that moment is not lost', async () => {
    const given = await merchant();
    const old = await event(given, -40);
    await recordAttempts(db, [attemptOf({ ...old, attempt: 2 }, { startedAt: NOW })]);
    await db.deliveryAttempt.create({
      data: {
        deliveryId: BigInt(old.deliveryId),
        messageId: old.messageId,
        webhookId: old.webhookId,
        round: 9,
        ...{
          accountId: given.account,
          event: 'tracking_update',
          attempt: 1,
          startedAt: NOW,
          statusCode: 200,
          durationMs: 1,
        },
      },
    });
    const { id } = await db.deliveryAttempt.findFirstOrThrow({ where: { round: 9 } });
    const outcomes = await Promise.all([
      prune(db, LIMIT),
      beginRound(other, { accountId: given.account, recordId: id, now: NOW }),
    ]);
    const kept = await db.delivery.count({ where: { state: 'owed' } });
    expect(outcomes[1]).toBe(kept === 1);
  });
});
