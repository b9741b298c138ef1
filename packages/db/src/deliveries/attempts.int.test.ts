import { type OpenTestDatabase, openTestDatabase, PATIENT } from '@pts/testing/database';
import { allDue, attemptOf, keyOf, newAccount, newDeliveries, newWebhook } from '@pts/testing/factories';
import { type Db, openDatabase, type SendHot } from '../connection.ts';
import { disableEndpoint, type Webhook } from '../webhooks.ts';
import {
  type AttemptOutcome,
  type DueDelivery,
  type LoadRequest,
  loadDue,
  recordAttempts,
  recordPings,
  takeAndLoad,
} from './attempts.ts';
import { recentAttempts } from './log.ts';
import { cancelPending, endDropping, type PendingPlace, pendingEndpoints, supersedePending } from './pending.ts';
import { beginRound } from './send-again.ts';

const NOW = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

let database: OpenTestDatabase;
let db: Db;
beforeEach(async () => {
  database = await openTestDatabase(10);
  db = database.db;
});
afterEach(() => database.close());

/** An account with an endpoint for which `count` updates are pending, each of a different parcel. */
async function pending(count = 1) {
  const account = await newAccount(db, NOW);
  const webhook = await newWebhook(db, account, NOW);
  for (let n = 0; n < count; n++) await newDeliveries(db, account, NOW);
  const load = (at = NOW, more: Partial<LoadRequest> = {}) => loadDue(db, [{ ...allDue(webhook), ...more }], at);
  return { account, webhook, load };
}
async function due() {
  const owing = await pending();
  const [delivery] = await owing.load();
  if (!delivery) throw new Error('nothing is due');
  return { ...owing, delivery };
}
const REFUSED = { statusCode: 500, error: 'the receiver responded with 500', durationMs: 12, responseExcerpt: 'no' };
function refused(delivery: DueDelivery, attempt = 1, more: Partial<AttemptOutcome> = {}): AttemptOutcome {
  const owed = { startedAt: NOW, ...REFUSED, state: 'owed', nextAttemptAt: later(30) } as const;
  return attemptOf({ ...delivery, attempt }, { ...owed, ...more });
}
const accepted = (delivery: DueDelivery, attempt: number) =>
  refused(delivery, attempt, { statusCode: 200, error: null, state: 'delivered', nextAttemptAt: null });
const row = ({ deliveryId }: { deliveryId: string }) =>
  db.delivery.findFirstOrThrow({ where: { id: BigInt(deliveryId) } });
const attemptsOf = (accountId: string) =>
  db.deliveryAttempt.findMany({ where: { accountId }, orderBy: { id: 'desc' } });
const ids = (deliveries: DueDelivery[]) => deliveries.map(({ deliveryId }) => deliveryId);

describe('loading due deliveries', () => {
  test('a delivery is loaded with everything needed to send it', async () => {
    const { account, webhook, delivery } = await due();
    expect(delivery).toMatchObject({
      accountId: account,
      webhookId: webhook.id,
      url: webhook.url,
      attempt: 1,
      round: 0,
    });
    expect(delivery).toMatchObject({
      event: 'tracking_update',
      encryptedSecret: 'sealed',
      fresh: true,
    });
    expect(JSON.parse(delivery.body)).toMatchObject({ data: { id: delivery.trackingId, status: '查询中' } });
  });

  test('an attempt is loaded once it is due, under its own number', async () => {
    const { load, delivery } = await due();
    await recordAttempts(db, [refused(delivery)]);
    expect(await load(later(29.9))).toEqual([]);
    expect(await load(later(30))).toMatchObject([{ deliveryId: delivery.deliveryId, attempt: 2, fresh: false }]);
  });

  test('first attempts come in the order of their events, and a page of them leaves room for late ones', async () => {
    const { load } = await pending(12);
    const size = { page: { fresh: 7, late: 3 } };
    const page = await load(NOW, size);
    expect(ids(page)).toEqual(ids(page).sort((a, b) => Number(a) - Number(b)));
    expect(page).toHaveLength(7);
    await recordAttempts(
      db,
      page.map((delivery) => refused(delivery)),
    );
    const mixed = await load(later(30), size);
    expect(mixed.map(({ fresh }) => fresh)).toEqual([...Array(5).fill(true), ...Array(3).fill(false)]);
  });

  test('first attempts continue after the last one that was loaded', async () => {
    const { load } = await pending(5);
    const all = ids(await load());
    const page = { fresh: 2, late: 2 };
    expect(ids(await load(NOW, { page }))).toEqual(all.slice(0, 2));
    expect(ids(await load(NOW, { page, after: all[1] ?? null }))).toEqual(all.slice(2, 4));
    expect(ids(await load(NOW, { page, after: all[4] ?? null }))).toEqual([]);
  });

  test('late ones that are in flight are not loaded again', async () => {
    const { load } = await pending(3);
    await recordAttempts(
      db,
      (await load()).map((delivery) => refused(delivery)),
    );
    const [first = '', ...others] = ids(await load(later(30)));
    expect(others).toHaveLength(2);
    expect(ids(await load(later(30), { inFlight: [first] })).sort()).toEqual(others.sort());
  });

  test('deliveries of several endpoints are loaded at once, with a page for each', async () => {
    const [one, two, none] = [await pending(2), await pending(1), await pending(0)];
    const requests = [one, two, none].map(({ webhook }) => allDue(webhook));
    const loaded = (await loadDue(db, requests, NOW)).map(({ webhookId }) => webhookId);
    expect(loaded.sort()).toEqual([one.webhook.id, one.webhook.id, two.webhook.id].sort());
  });

  test.each([
    ['disabled', { enabled: false }],
    ['asked for a pause', { notBefore: later(1) }],
  ])('nothing is loaded for an endpoint that is %s', async (_what, data) => {
    const { load, webhook } = await due();
    await db.webhook.update({ where: { id: webhook.id }, data });
    expect(await load()).toEqual([]);
  });

  test('an endpoint that asked for a pause is loaded again afterwards', async () => {
    const { load, webhook } = await due();
    await db.webhook.update({ where: { id: webhook.id }, data: { notBefore: later(1) } });
    expect(await load(later(1))).toHaveLength(1);
  });
});

describe('recording attempts', () => {
  test('an attempt of a delivery that a failover lost is not recorded for the one that has its number now', async () => {
    const { account, load, delivery } = await due();
    await recordAttempts(db, [accepted({ ...delivery, messageId: '0'.repeat(24) }, 1)]);
    expect(await attemptsOf(account)).toEqual([]);
    expect(await load()).toMatchObject([{ deliveryId: delivery.deliveryId, attempt: 1 }]);
  });

  test('advances the delivery and stores the attempt', async () => {
    const { account, delivery } = await due();
    await recordAttempts(db, [refused(delivery, 1, { trace: { firstByteMs: 7 } })]);
    expect(await row(delivery)).toMatchObject({ state: 'owed', attempts: 1, nextAttemptAt: later(30), fresh: false });
    await recordAttempts(db, [accepted(delivery, 2)]);
    expect(await row(delivery)).toMatchObject({ state: 'delivered', attempts: 2, nextAttemptAt: null });
    const { webhookId, messageId, event } = delivery;
    expect(await attemptsOf(account)).toMatchObject([
      { webhookId, event, attempt: 2, statusCode: 200, error: null, nextAttemptAt: null, trace: null },
      { messageId, attempt: 1, startedAt: NOW, nextAttemptAt: later(30), trace: { firstByteMs: 7 }, ...REFUSED },
    ]);
  });

  test('of records of the same attempt that race, only the first counts', async () => {
    const { account, delivery } = await due();
    const outcomes = Array.from({ length: 8 }, (_, n) => refused(delivery, 1, { statusCode: 500 + n }));
    await Promise.all(outcomes.map((outcome) => recordAttempts(db, [outcome])));
    expect(await attemptsOf(account)).toMatchObject([{ attempt: 1 }]);
    expect(await row(delivery)).toMatchObject({ attempts: 1, nextAttemptAt: later(30) });
  });

  test('also in one batch, without harm to the other records of the batch', async () => {
    const { account, load } = await pending(2);
    const [one, two] = await load();
    if (!one || !two) throw new Error('nothing is due');
    await recordAttempts(db, [refused(one), accepted(one, 1), refused(two)]);
    expect(await attemptsOf(account)).toHaveLength(2);
    expect(await row(one)).toMatchObject({ state: 'owed', attempts: 1 });
  });

  test('a late record of an attempt changes nothing', async () => {
    const { account, delivery } = await due();
    await recordAttempts(db, [accepted(delivery, 1)]);
    await recordAttempts(db, [refused(delivery, 1), refused(delivery, 2), refused(delivery, 3)]);
    expect(await row(delivery)).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(await attemptsOf(account)).toHaveLength(1);
  });

  test('a record of an earlier round changes nothing once the delivery is pending again', async () => {
    const { account, delivery } = await due();
    await db.delivery.updateMany({ data: { round: 1, attempts: 0, fresh: false } });
    await recordAttempts(db, [accepted(delivery, 1)]);
    expect(await row(delivery)).toMatchObject({ state: 'owed', attempts: 0 });
    expect(await attemptsOf(account)).toHaveLength(0);
  });

  test('an attempt in flight when its delivery is cancelled is recorded, and no other becomes pending', async () => {
    const { account, webhook, delivery } = await due();
    await db.webhook.update({ where: { id: webhook.id }, data: { enabled: false } });
    await cancelPending(db, keyOf(webhook), 9);
    await recordAttempts(db, [refused(delivery)]);
    expect(await row(delivery)).toMatchObject({ state: 'cancelled', attempts: 1, nextAttemptAt: null });
    expect(await attemptsOf(account)).toHaveLength(1);
  });
});

test('pings, which belong to no delivery, are all kept', async () => {
  const { account, webhook } = await pending(0);
  const ping = { messageId: 'm1', webhookId: webhook.id, accountId: account, attempt: 1, startedAt: NOW, ...REFUSED };
  await recordPings(db, [
    { ...ping, trace: null },
    { ...ping, trace: { firstByteMs: 7 } },
  ]);
  expect(await attemptsOf(account)).toMatchObject([
    { event: 'ping', deliveryId: null, round: 0, trace: { firstByteMs: 7 }, ...REFUSED },
    { event: 'ping', deliveryId: null, round: 0, trace: null },
  ]);
});

describe('endpoints with pending deliveries', () => {
  test('are found, each once, with the time of the delivery that is due first', async () => {
    const [busy, waiting, idle] = [await pending(3), await due(), await pending(0)];
    await recordAttempts(db, [refused(waiting.delivery, 1, { nextAttemptAt: later(600) })]);
    const found = await pendingEndpoints(db);
    expect(found).toHaveLength(2);
    expect(found).toContainEqual({ ...keyOf(busy.webhook), dueAt: NOW, failingSince: null, isClosed: false });
    expect(found).toContainEqual({
      ...keyOf(waiting.webhook),
      dueAt: later(600),
      failingSince: null,
      isClosed: false,
    });
    expect(found.map(({ webhookId }) => webhookId)).not.toContain(idle.webhook.id);
  });

  test('are returned with whether they fail, are closed, or asked to wait', async () => {
    const [failing, held, disabled, gone] = [await pending(), await pending(), await pending(), await pending()];
    const change = (id: string, data: object) => db.webhook.update({ where: { id }, data });
    await change(failing.webhook.id, { failingSince: NOW });
    await change(held.webhook.id, { notBefore: later(60) });
    await change(disabled.webhook.id, { enabled: false });
    await db.webhook.delete({ where: { id: gone.webhook.id } });
    const found = new Map((await pendingEndpoints(db)).map((entry) => [entry.webhookId, entry]));
    expect(found.get(failing.webhook.id)).toMatchObject({ failingSince: NOW, isClosed: false });
    expect(found.get(held.webhook.id)).toMatchObject({ dueAt: later(60) });
    expect(found.get(disabled.webhook.id)).toMatchObject({ isClosed: true });
    expect(found.get(gone.webhook.id)).toMatchObject({ isClosed: true });
  });

  test('are none if nothing is pending', async () => {
    const { delivery } = await due();
    await recordAttempts(db, [accepted(delivery, 1)]);
    expect(await pendingEndpoints(db)).toEqual([]);
  });
});

test('of an endpoint that is enabled again at once, what was pending is dropped before anything is sent; what came since is kept', async () => {
  const { account, webhook, load, delivery } = await due();
  await recordAttempts(db, [refused(delivery, 1, { state: 'exhausted', nextAttemptAt: null })]);
  const [record] = await attemptsOf(account);
  for (let n = 0; n < 3; n++) await newDeliveries(db, account, NOW);
  const [late] = await load();
  if (!late || !record) throw new Error('nothing is due');
  await recordAttempts(db, [refused(late)]);
  // It was disabled and enabled, since when one was redelivered, and one is new.
  await disableEndpoint(db, keyOf(webhook), 'It answered 410.', later(1));
  await db.webhook.update({ where: { id: webhook.id }, data: { enabled: true } });
  expect(await beginRound(db, { accountId: account, recordId: record.id, now: later(2) })).toBe(true);
  await newDeliveries(db, account, later(3));
  expect(await load(later(60))).toEqual([]);
  expect(await pendingEndpoints(db)).toMatchObject([{ webhookId: webhook.id, isClosed: true }]);
  expect(await cancelPending(db, keyOf(webhook), 2)).toBe(2);
  await endDropping(db);
  expect(await load(later(60))).toEqual([]);
  expect([await cancelPending(db, keyOf(webhook), 2), await cancelPending(db, keyOf(webhook), 2)]).toEqual([1, 0]);
  await endDropping(db);
  const sent = await load(later(60));
  expect(sent.map(({ round, fresh }) => [round, fresh])).toEqual([
    [0, true],
    [1, false],
  ]);
  expect(await row(late)).toMatchObject({ state: 'cancelled' });
});

test('only the pending deliveries of disabled or deleted endpoints are cancelled, in batches', async () => {
  const [disabled, gone, kept] = [await pending(3), await pending(1), await pending(1)];
  await db.webhook.update({ where: { id: disabled.webhook.id }, data: { enabled: false } });
  await db.webhook.delete({ where: { id: gone.webhook.id } });
  const cancel = ({ webhook }: { webhook: Webhook }) => cancelPending(db, keyOf(webhook), 2);
  expect([await cancel(disabled), await cancel(disabled), await cancel(disabled)]).toEqual([2, 1, 0]);
  expect([await cancel(gone), await cancel(kept)]).toEqual([1, 0]);
  expect(await pendingEndpoints(db)).toMatchObject([{ webhookId: kept.webhook.id }]);
});

describe('superseding', () => {
  const drop = (webhook: Parameters<typeof keyOf>[0], limit = 9, after: PendingPlace | null = null) =>
    supersedePending(db, keyOf(webhook), { after, limit, now: NOW });

  /** Updates of two parcels, a first and a second one of each, and a delivered one of the first parcel. */
  async function parcels(data: object) {
    const { account, webhook, load } = await pending(5);
    await db.webhook.update({ where: { id: webhook.id }, data });
    const deliveries = await load();
    const plan = [
      ['a', 1, 'tracking_update'],
      ['b', 1, 'tracking_update'],
      ['a', 2, 'tracking_update'],
      ['a', 3, 'tracking_delivered'],
      ['b', 2, 'tracking_update'],
    ] as const;
    for (const [index, [trackingId, seq, event]] of plan.entries())
      await db.message.update({ where: { id: deliveries[index]?.messageId ?? '' }, data: { trackingId, seq, event } });
    const left = async () =>
      (await load(later(999))).map(({ trackingId, event }) => `${trackingId} ${event.replace('tracking_', '')}`).sort();
    return { account, webhook, deliveries, left };
  }

  test('for a failing endpoint that supersedes, only the newest update of each parcel stays pending, and all other events do', async () => {
    const { account, webhook, deliveries, left } = await parcels({ supersede: true, failingSince: NOW });
    expect(await drop(webhook)).toEqual({ dropped: 2, next: null });
    expect(await left()).toEqual(['a delivered', 'a update', 'b update']);
    expect(await db.delivery.count({ where: { state: 'superseded' } })).toBe(2);
    const log = await attemptsOf(account);
    expect(log.map(({ error, statusCode, attempt }) => [error, statusCode, attempt]).sort()).toEqual(
      [deliveries[2]?.messageId, deliveries[4]?.messageId]
        .map((newer) => [`["attempt.superseded",{"message":"${newer}"}]`, 0, 1])
        .sort(),
    );
    const recent = await recentAttempts(db, { accountId: account, webhookIds: [webhook.id] });
    expect(recent.get(webhook.id)).toMatchObject({ attempts: 0, failed: 0, lastStatusCode: null });
    expect(await drop(webhook)).toEqual({ dropped: 0, next: null });
  });

  test.each([
    ['first attempts', { fresh: true }],
    ['late ones, due at the same time', { fresh: false, nextAttemptAt: later(30) }],
  ])('what is pending is looked at page by page, from the oldest to the newest: %s', async (_what, fields) => {
    const { webhook, left } = await parcels({ supersede: true, failingSince: NOW });
    await db.delivery.updateMany({ data: fields });
    const dropped: number[] = [];
    let after: PendingPlace | null = null;
    do {
      const page: Awaited<ReturnType<typeof drop>> = await drop(webhook, 2, after);
      dropped.push(page.dropped);
      after = page.next;
    } while (after);
    expect(dropped).toEqual([2, 0, 0]);
    expect(await left()).toEqual(['a delivered', 'a update', 'b update']);
  });

  test('a page and its parcels are read, however much is pending, also while the tables have no statistics', async () => {
    const { account, webhook } = await pending(0);
    await db.webhook.update({ where: { id: webhook.id }, data: { supersede: true, failingSince: NOW } });
    await db.$executeRaw`
      WITH stored AS (
        INSERT INTO messages (id, account_id, tracking_id, event, seq, body, created_at)
        SELECT history_id_at(at) || lpad(n::text, 20, '0'), ${account}, lpad((n / 2)::text, 24, '0'), 'tracking_update', n, repeat('x', 1200), at
        FROM (SELECT n, ${NOW.toISOString()}::timestamptz + n * interval '1 second' AS at FROM generate_series(1, 20000) n) t
        RETURNING id, created_at, seq)
      INSERT INTO deliveries (message_id, webhook_id, account_id, fresh, next_attempt_at, created_at)
      SELECT id, ${webhook.id}, ${account}, seq % 8 < 4, created_at, created_at FROM stored`;
    const one = openDatabase({ url: database.url, poolSize: 1, preparedStatements: 'off', ...PATIENT });
    const read = async () => {
      await one.$executeRaw`SELECT pg_stat_force_next_flush()`;
      const [sum] = await one.$queryRaw<{ entries: number }[]>`
        SELECT sum(idx_tup_read)::float8 AS entries FROM pg_stat_user_indexes WHERE relname ~ '^(messages|deliveries)_'`;
      return sum?.entries ?? 0;
    };
    let after: PendingPlace | null = null;
    for (const analyze of [false, true]) {
      if (analyze) await db.$executeRaw`ANALYZE deliveries, messages`;
      const before = await read();
      const walk: Parameters<typeof supersedePending>[2] = { after, limit: 20, now: NOW };
      const { dropped, next } = await supersedePending(one, keyOf(webhook), walk);
      expect(dropped).toBe(20);
      // Of 40 deliveries: each, its message, and of every second one the message and the delivery of the newer update.
      expect((await read()) - before).toBeLessThan(300);
      after = next;
    }
    await one.$disconnect();
  });

  test.each([
    ['did not ask for it', { failingSince: NOW }],
    ['is healthy', { supersede: true }],
  ])('nothing is dropped for an endpoint that %s', async (_what, data) => {
    const { webhook, left } = await parcels(data);
    expect(await drop(webhook)).toEqual({ dropped: 0, next: null });
    expect(await left()).toHaveLength(5);
  });
});

test('a plan made while the tables are empty, which a connection keeps, reads none of them as a whole', async () => {
  const texts: string[] = [];
  const $hot: SendHot = async (text) => {
    texts.push(text);
    return [];
  };
  await loadDue({ $hot }, [], NOW);
  await takeAndLoad({ $hot }, 'a', [], NOW);
  await recordAttempts({ $hot }, []);
  for (const text of texts) {
    const plan = JSON.stringify(await db.$queryRawUnsafe(`EXPLAIN (GENERIC_PLAN, COSTS OFF) ${text}`));
    expect(plan).toContain('_pkey');
    expect(plan).not.toContain('Seq Scan');
  }
});

test('a connection keeps the plan of recording, whatever accounts the attempts are of', async () => {
  const one = openDatabase({ url: database.url, poolSize: 1, preparedStatements: 'on', ...PATIENT });
  const accounts = [await pending(4), await pending(4), await pending(4)];
  await db.$executeRaw`ANALYZE deliveries, messages`;
  for (let n = 0; n < 4; n++)
    for (const { load } of accounts) {
      const [delivery] = await load();
      if (delivery) await recordAttempts(one, [accepted(delivery, 1)]);
    }
  const [plans] = await one.$queryRaw<{ kept: bigint }[]>`
    SELECT generic_plans AS kept FROM pg_prepared_statements WHERE statement LIKE '%made AS MATERIALIZED%'`;
  expect(Number(plans?.kept)).toBeGreaterThan(0);
  await one.$disconnect();
});
