import { lowestId } from '@pts/core/id';
import { messageId, periodOfMessage } from '@pts/core/webhook/push';
import { openTestDatabase } from '@pts/testing/database';
import { byIndex, type HotTx } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { beginHistory, partitionsOf } from '../testing/history.ts';
import { type AttemptRow, type LogFilter, listAttempts, logStatement, recentAttempts, recentStatement } from './log.ts';
import { rotateHistory } from './retention.ts';

const ACCOUNT = '0'.repeat(24);
const [BUSY, QUIET, NEVER] = ['1'.repeat(24), '2'.repeat(24), '9'.repeat(24)];
const COUNT = 60_000;
const DAY_MS = 24 * 3_600_000;
/** 21 days, in several partitions. */
const START = new Date(Math.floor(Date.now() / 1000) * 1000 - 22 * DAY_MS);
const at = (n: number) => new Date(START.getTime() + n * 30_000);
const idOf = (n: number) => lowestId(at(n));

const { db, close } = await openTestDatabase(2);
afterAll(close);
beforeAll(async () => {
  await beginHistory(db, at(20_000));
  for (let n = 20_000; n < COUNT; n += 2000) await rotateHistory(db, { retentionDays: 15, now: at(n) });
  expect((await partitionsOf(db)).length).toBeGreaterThan(5);
  // Of one account: a busy endpoint, one with a single old attempt, few failures, few exceptions; and other accounts.
  await db.$executeRaw`
    INSERT INTO delivery_attempts (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code,
      error, next_attempt_at, duration_ms)
    SELECT lpad(to_hex(floor(extract(epoch FROM ${START.toISOString()}::timestamptz + n * interval '30 seconds'))::bigint), 8, '0') || lpad(to_hex(0), 16, '0'),
      n, lpad(n::text, 24, '0'), CASE WHEN n = 10 THEN ${QUIET} ELSE ${BUSY} END,
      CASE WHEN n % 4 = 3 THEN lpad((n % 100)::text, 24, 'a') ELSE ${ACCOUNT} END,
      CASE WHEN n % 1000 = 0 THEN 'tracking_exception' WHEN n % 10 = 0 THEN 'tracking_delivered' ELSE 'tracking_update' END,
      1, ${START.toISOString()}::timestamptz + n * interval '30 seconds', CASE WHEN n % 5000 = 1 THEN 503 ELSE 200 END, CASE WHEN n % 5000 = 1 THEN 'it failed' END,
      CASE WHEN n % 10000 = 1 THEN ${START.toISOString()}::timestamptz + (n + 1) * interval '30 seconds' END, 5
    FROM generate_series(1, ${COUNT}::int) n`;
  await db.$executeRaw`ANALYZE delivery_attempts`;
}, 60_000);

const filters: [string, Partial<LogFilter>][] = [
  ['no filter', {}],
  ['an older page', { before: idOf(30_000) }],
  ['a quiet endpoint', { webhookId: QUIET }],
  ['a busy endpoint', { webhookId: BUSY, before: idOf(50_000) }],
  ['a rare event', { event: 'tracking_exception' }],
  ['what failed', { failed: true }],
  ['what failed at an endpoint, of an event', { failed: true, webhookId: BUSY, event: 'tracking_update' }],
  ['a status', { statusCode: 503 }],
  ['what was delivered', { outcome: 'delivered' }],
  ['what did not fail', { failed: false, before: idOf(50_010) }],
  ['what was given up', { outcome: 'exhausted' }],
  ['what failed with a status, and is repeated', { outcome: 'failed', statusCode: 503 }],
  ['a status that never was', { statusCode: 418, since: at(50_000) }],
  ['a short time, long ago', { since: at(20_000), until: at(20_030) }],
  ['until a time', { until: at(30_000) }],
  ['from a time on, at an endpoint', { since: at(COUNT - 20), webhookId: BUSY }],
  ['a time before all', { until: at(0) }],
  ['a time after all', { since: at(COUNT + 1) }],
  ['an older page of a time', { until: at(40_000), before: idOf(30_000) }],
  ['an event that never was', { event: 'ping' }],
];

/** The filters that nothing matches. */
const NONE = ['an event that never was', 'a status that never was', 'a time before all', 'a time after all'];

describe.each(filters)('%s', (name, filter) => {
  test('returns the same as reading every record', async () => {
    const { webhookId, event, failed, before, statusCode, outcome, since, until } = filter;
    const wanted = await db.deliveryAttempt.findMany({
      where: {
        accountId: ACCOUNT,
        ...(webhookId ? { webhookId } : {}),
        ...(event ? { event } : {}),
        ...(failed || outcome === 'failed' ? { error: { not: null } } : {}),
        ...(failed === false || outcome === 'delivered' ? { error: null } : {}),
        ...(outcome === 'exhausted' ? { error: { not: null }, nextAttemptAt: null } : {}),
        ...(statusCode ? { statusCode } : {}),
        startedAt: { ...(since && { gte: since }), ...(until && { lt: until }) },
        ...(before ? { id: { lt: before } } : {}),
      },
      orderBy: { id: 'desc' },
      take: 50,
    });
    const found = await readPage({ accountId: ACCOUNT, limit: 50, ...filter });
    expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    // The same, read in many short pages.
    const bySteps = await readPage({ accountId: ACCOUNT, limit: 50, ...filter }, 2000);
    expect(bySteps.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
    expect(found.length > 0).toBe(!NONE.includes(name));
  });

  test('reads a bounded number of rows, all by index', async () => {
    const { buffers, scans } = await explainLog({ accountId: ACCOUNT, limit: 50, ...filter });
    expect(scans).not.toContain('Seq Scan');
    expect(buffers).toBeLessThan(600);
  });
});

describe('of an endpoint that has failed for long', () => {
  const SHOP = 'b'.repeat(24);
  const FAILING = 20_000;
  const WALKED = 1000;
  beforeAll(async () => {
    // The oldest five of each endpoint were delivered or given up; all others failed, and were repeated.
    await db.$executeRaw`
      INSERT INTO delivery_attempts (id, delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code,
        error, next_attempt_at, duration_ms)
      SELECT lpad(to_hex(floor(extract(epoch FROM ${at(COUNT).toISOString()}::timestamptz + n * interval '1 second'))::bigint), 8, '0') || lpad(to_hex(n), 16, '0'), 200000 + n, lpad(n::text, 24, 'c'),
        CASE WHEN n % 10 = 0 THEN ${QUIET} ELSE ${BUSY} END, ${SHOP}, 'tracking_update', 1,
        ${at(COUNT).toISOString()}::timestamptz + n * interval '1 second', CASE WHEN n <= 50 AND n % 10 < 5 THEN 200 ELSE 503 END,
        CASE WHEN n <= 50 AND n % 10 < 5 THEN NULL ELSE 'it failed' END,
        CASE WHEN n > 50 THEN ${at(COUNT).toISOString()}::timestamptz + (n + 60) * interval '1 second' END, 5
      FROM generate_series(1, ${FAILING}::int) n`;
    await db.$executeRaw`ANALYZE delivery_attempts`;
  });

  test.each<[string, Partial<LogFilter>, number]>([
    ['what was delivered', { outcome: 'delivered' }, 25],
    ['what did not fail', { failed: false }, 25],
    ['what was given up', { outcome: 'exhausted' }, 25],
    ['a successful status', { statusCode: 200 }, 25],
    ['a status that never was', { statusCode: 418 }, 0],
    ['no answer', { statusCode: 0, webhookId: BUSY }, 0],
  ])('%s is found in short pages, each of which reads a bounded part', async (_name, filter, count) => {
    const request = { accountId: SHOP, limit: 20, ...filter };
    const { buffers, scans } = await explainLog(request, WALKED);
    expect(scans).not.toContain('Seq Scan');
    // Of each row its index, and its page where it is not that of the row before.
    expect(buffers).toBeLessThan(WALKED + 300);
    const first = await listAttempts(db, request, WALKED);
    expect([first.rows, first.next === null]).toEqual([[], false]);
    const found = await readPage({ ...request, limit: 100 }, WALKED);
    expect(found).toHaveLength(count);
    expect(found.map(({ id }) => id)).toEqual(
      found
        .map(({ id }) => id)
        .toSorted()
        .reverse(),
    );
  });
});

/** A full page, if there is one: of several that are shorter. */
async function readPage(filter: LogFilter, maxWalked?: number): Promise<AttemptRow[]> {
  const rows: AttemptRow[] = [];
  for (let { before } = filter; ; ) {
    const page = await listAttempts(db, { ...filter, before }, maxWalked);
    rows.push(...page.rows);
    if (page.next === null || rows.length >= filter.limit) return rows.slice(0, filter.limit);
    expect(before === undefined || page.next < before).toBe(true);
    before = page.next;
  }
}

test('the attempts of a message are found by its id, long after they were made', async () => {
  // The beginning of a period: their ids tell no more of their time (`message-id.ts`).
  const madeAt = periodOfMessage(messageId('', at(45_000), '')) ?? at(0);
  const ids = Array.from({ length: 20 }, (_, n) => messageId('tracking_update', madeAt, String(n)));
  for (const [n, id] of ids.entries()) {
    const event = { accountId: ACCOUNT, event: 'tracking_update' };
    await db.message.create({ data: { ...event, id, body: '{}', createdAt: madeAt } });
    const deliveryId = BigInt(COUNT + 1 + n);
    await db.delivery.create({
      data: { id: deliveryId, messageId: id, webhookId: BUSY, accountId: ACCOUNT, state: 'delivered' },
    });
    const attempt = { deliveryId, messageId: id, webhookId: BUSY, attempt: 1, startedAt: madeAt };
    await db.deliveryAttempt.create({
      data: {
        ...event,
        ...attempt,
        id: `${lowestId(madeAt).slice(0, 8)}${n.toString(16).padStart(16, 'a')}`,
        statusCode: 200,
        durationMs: 5,
      },
    });
  }
  const listed = ids.map(async (id) => (await listAttempts(db, { accountId: ACCOUNT, limit: 50, messageId: id })).rows);
  expect((await Promise.all(listed)).map((found) => found.map((row) => row.messageId))).toEqual(ids.map((id) => [id]));
});

describe('how endpoints have been doing', () => {
  const of = { accountId: ACCOUNT, webhookIds: [BUSY, QUIET, NEVER] };

  test('follows from their newest attempts, without pings', async () => {
    const found = await recentAttempts(db, of);
    // The newest failure is 5,000 attempts back.
    expect(found.get(BUSY)).toMatchObject({ attempts: 200, failed: 0, medianMs: 5, lastStatusCode: 200 });
    expect(found.get(QUIET)).toMatchObject({ attempts: 1, failed: 0, medianMs: 5 });
    expect(found.get(NEVER)).toMatchObject({ attempts: 0, failed: 0, medianMs: null, lastStatusCode: null });
  });

  test('reads a bounded number of rows, all by index, for as many endpoints as an account may have', async () => {
    const webhookIds = [...of.webhookIds, ...Array.from({ length: 7 }, (_, n) => String(n).repeat(24))];
    const { buffers, scans } = await explain(recentStatement({ ...of, webhookIds }));
    expect(scans).not.toContain('Seq Scan');
    // Thirty ranges, a few pages of each in each partition, and the 201 rows that are found.
    expect(buffers).toBeLessThan(30 * 6 * (await partitionsOf(db)).length + 201);
  });
});

type Plan = { 'Node Type': string; 'Relation Name'?: string; Plans?: Plan[] };

/** The same for a page of the log, with the settings of its plan. */
function explainLog(filter: LogFilter, maxWalked?: number) {
  const { statement, isWalk } = logStatement(filter, maxWalked);
  return isWalk ? byIndex(db, (tx) => explain(statement, tx)) : explain(statement);
}

/** How a statement is planned, and how many pages it touches. */
async function explain(statement: Prisma.Sql, { $hot }: HotTx = db): Promise<{ buffers: number; scans: string[] }> {
  const { text, values } = Prisma.sql`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement}`;
  const rows = (await $hot(text, values, { isPrepared: false })) as {
    'QUERY PLAN': { Plan: Plan & Record<string, number> }[];
  }[];
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
  if (!plan) throw new Error('there is no plan');
  const nodes = (node: Plan): Plan[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  const onTable = nodes(plan).filter((node) => node['Relation Name'] === 'delivery_attempts');
  return {
    buffers: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    scans: onTable.map((node) => node['Node Type']),
  };
}
