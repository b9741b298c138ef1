import { ATTENTION_DAYS, ATTENTION_REASONS, type AttentionReason } from '@pts/core/attention';
import { ACTIVE_SUB_STATUSES } from '@pts/core/tracking/status';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import { newAccount } from '@pts/testing/factories';
import type { Db } from './connection.ts';
import { Prisma } from './generated/client.ts';
import {
  countShipments,
  listShipments,
  NEWEST_CHANGE_FIRST,
  type Range,
  rangeOf,
  type ShipmentCursor,
  type ShipmentFilter,
  type ShipmentOrder,
} from './shipments.ts';
import { readSoFar, withoutAutovacuum } from './testing/parcel-states.ts';
import { addSearchRows } from './testing/search-rows.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');
const LIST = Prisma.sql`t.id, t.updated_at, t.latest_event`;

const { db, close } = await openTestDatabase(1);
afterAll(close);
let accountId: string;
beforeAll(async () => {
  await withoutAutovacuum(db);
  accountId = await newAccount(db, NOW);
  // Groups of forty with equal times, as after a batch; one in a hundred is delivered, one in a hundred in trouble, and
  // nearly all others were stopped.
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, annotations, stopped_at,
      created_at, updated_at)
    SELECT lpad(to_hex(i), 24, '0'), ${accountId}, 'YTN' || i, 'yto', false, 'scripted',
      CASE i % 100 WHEN 0 THEN '已签收' WHEN 1 THEN '异常' ELSE '查询中' END,
      CASE i % 100 WHEN 0 THEN 'delivered' WHEN 1 THEN 'exception' ELSE 'in_transit' END,
      CASE i % 100 WHEN 1 THEN '{"problem":"other"}'::jsonb END, CASE WHEN i % 100 > 1 AND i % 1000 <> 2 THEN ${NOW}::timestamptz END,
      ${NOW}::timestamptz, ${NOW}::timestamptz + make_interval(secs => i / 40)
    FROM generate_series(1, 20000) i`;
  await addSearchRows(db);
  await db.$executeRaw`ANALYZE trackings, tracking_search`;
}, 60_000);

const after = { updatedAt: new Date(NOW.getTime() + 200_000), id: '000000000000000000001f50' };
const atCustoms = { attention: { reasons: ['customs' as const], now: NOW, days: ATTENTION_DAYS } };

type List = { filter?: Omit<ShipmentFilter, 'accountId'>; order?: ShipmentOrder; after?: ShipmentCursor };

test.each<[string, List, string]>([
  ['the first page', {}, 'trackings_account_id_updated_at_id_idx'],
  ['a deep page', { after }, 'trackings_account_id_updated_at_id_idx'],
  ['the oldest changes', { order: { by: 'updated', isAscending: true } }, 'trackings_account_id_updated_at_id_idx'],
  [
    'a range of changes',
    { filter: { updated: { from: NOW, until: after.updatedAt } } },
    'trackings_account_id_updated_at_id_idx',
  ],
  ['a problem', { filter: atCustoms }, 'trackings_problem_idx'],
  ['a deep page of a problem', { filter: atCustoms, after }, 'trackings_problem_idx'],
  ['the newest registrations', { order: { by: 'created', isAscending: false } }, 'tracking_search_pkey'],
  ['a deep page of registrations', { order: { by: 'created', isAscending: true }, after }, 'tracking_search_pkey'],
  [
    'registrations of a carrier',
    { filter: { carrier: 'yto' }, order: { by: 'created', isAscending: false }, after },
    'tracking_search_account_id_carrier_tracking_id_idx',
  ],
])(
  '%s is one range of its index, without a sort',
  async (_, { filter, order = NEWEST_CHANGE_FIRST, ...start }, index) => {
    const { range, isWhole } = rangeOf({ filter: { accountId, ...filter }, order, ...start });
    expect(isWhole).toBe(true);
    const plan = await planOf(range);
    expect(plan).toMatch(new RegExp(`Index (Only )?Scan (Backward )?using ${index}`));
    expect(plan).not.toMatch(/Sort|Seq Scan|Filter: .*(?:updated_at|sub_status|tracking_id)/);
    if ('after' in start) expect(plan).toMatch(/Index Cond: .*(ROW\(.*updated_at, \(?.*id|tracking_id)/);
  },
);

const needing = (...reasons: AttentionReason[]) => ({ attention: { reasons, now: NOW, days: ATTENTION_DAYS } });

test.each<[string, Omit<ShipmentFilter, 'accountId'>, number, string]>([
  ['a status', { states: ['查询中'] }, 9, 'state'],
  ['a sub-status', { states: ['delivered'] }, 2, 'state'],
  ['the only sub-status without a status of its own', { states: ['expired'] }, 8, 'state'],
  ['several sub-statuses', { states: ACTIVE_SUB_STATUSES }, 15, 'state'],
  ['a status and a sub-status', { states: ['派送中', 'pending'] }, 9, 'state'],
  ['a range of changes in a state', { states: ['delivered'], updated: { from: NOW } }, 2, 'state'],
  ['parcels without news', needing('no_news'), 3, 'state'],
  ['parcels that are not found', needing('not_found'), 1, 'state'],
  ['parcels without a carrier', needing('carrier_not_found'), 1, 'state'],
  ['a reason of several problems', needing('exception', 'delivery_failed'), 10, 'problem'],
  ['a reason of days', needing('late'), 30, 'expected'],
])('%s: a range of an index for each state, merged without a sort', async (_, filter, count, index) => {
  for (const isAscending of [false, true]) {
    const order = { by: 'updated', isAscending } as const;
    const { range, isWhole } = rangeOf({ filter: { accountId, ...filter }, order, after });
    expect(isWhole).toBe(true);
    const plan = await planOf(range);
    expect(plan.match(new RegExp(`Scan (Backward )?using trackings_${index}_idx`, 'g'))).toHaveLength(count);
    expect(plan).not.toMatch(
      /(->|Incremental) +Sort|Seq Scan|Bitmap|Filter: .*(?:updated_at|status|stopped_at|candidates)/,
    );
  }
});

test.each<[string, Omit<ShipmentFilter, 'accountId'>, number]>([
  ['a status that most have', { states: ['查询中'] }, 50],
  ['a sub-status that most have', { states: ['in_transit'] }, 50],
  ['what is active', { states: ACTIVE_SUB_STATUSES }, 50],
  ['a status that few have', { states: ['已签收'] }, 50],
  ['a status that none has', { states: ['派送中'] }, 0],
  ['the few polled parcels among stopped ones', needing('no_news'), 20],
  ['all that needs attention', needing(...ATTENTION_REASONS), 50],
])('a page of %s is read as far as it is wanted', async (_, filter, count) => {
  const later = new Date(NOW.getTime() + 30 * 86_400_000);
  const { attention } = filter;
  const list = { accountId, ...filter, ...(attention && { attention: { ...attention, now: later } }) };
  const before = await readSoFar(db);
  const page = await listShipments(db, { filter: list, order: NEWEST_CHANGE_FIRST, limit: 50 });
  expect(page.rows).toHaveLength(count);
  // Each range has a first row.
  expect((await readSoFar(db)).rows - before.rows).toBeLessThan(count + 20);
});

test('the parcels of a state are counted without being read', async () => {
  await db.$executeRaw`VACUUM trackings`;
  for (const state of ['查询中', 'in_transit', 'expired'] as const) {
    const before = await readSoFar(db);
    const { total } = await countShipments(db, { accountId, states: [state] });
    expect([total, (await readSoFar(db)).rows - before.rows]).toEqual([state === 'expired' ? 0 : 10_000, 0]);
  }
});

async function planOf(range: Range): Promise<string> {
  const { text, values } = range(LIST, Prisma.sql`201`);
  const rows = await db.$hotTransaction((tx) => tx.$hot(`EXPLAIN (COSTS off) ${text}`, values), 'by any index');
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

test('a search reads nothing of other accounts, however many of their numbers are the same', async () => {
  const small = await newAccount(db, NOW);
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, updated_at)
    SELECT lpad(to_hex(100000 + i), 24, '0'), ${small}, 'YTN' || i, 'yto', false, 'scripted', '查询中', 'pending', ${NOW}::timestamptz
    FROM generate_series(10001, 10100) i`;
  await addSearchRows(db);
  await db.$executeRaw`VACUUM tracking_search`;
  const filter = { accountId: small, texts: ['YTN'] };
  const bounds = { near: 1, candidates: 1000, far: 1, texts: 1000 };
  const before = await pagesOfSearch();
  expect((await listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, limit: 200 }, bounds)).rows).toHaveLength(100);
  expect((await pagesOfSearch()) - before).toBeLessThan(30);
});

test.each([
  ['an order', { orderIds: ['A-1', 'none'] }],
  ['an entry of the metadata', { metadata: { shop: 's1' } }],
])('the parcels of %s are read by the index, however many others there are, also with the same', async (_, of) => {
  const [owner, other] = [await newAccount(db, NOW), await newAccount(db, NOW)];
  const store = async (account: string, order: string, from: number, to: number) => {
    await db.$executeRaw`
      INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, order_id, metadata, updated_at)
      SELECT ${account.slice(-12)} || lpad(to_hex(i), 12, '0'), ${account}, 'YTO' || i, 'yto', false, 'scripted', '查询中', 'pending', ${order},
        jsonb_build_object('shop', CASE WHEN ${order} = 'A-1' THEN 's1' ELSE 's2' END), ${NOW}::timestamptz
      FROM generate_series(${from}::int, ${to}::int) i`;
    await addSearchRows(db);
  };
  await store(owner, 'A-2', 1, 3000);
  await store(owner, 'A-1', 3001, 3003);
  await store(other, 'A-1', 1, 3000);
  await db.$executeRaw`VACUUM ANALYZE trackings, tracking_search`;
  const [searched, read] = [await pagesOfSearch(), await readSoFar(db)];
  const list = { filter: { accountId: owner, ...of }, order: NEWEST_CHANGE_FIRST, limit: 200 };
  expect((await listShipments(db, list, { near: 10, candidates: 100, far: 10, texts: 1000 })).rows).toHaveLength(3);
  expect((await pagesOfSearch()) - searched).toBeLessThan(30);
  expect((await readSoFar(db)).rows - read.rows).toBeLessThan(40);
});

async function pagesOfSearch(): Promise<number> {
  await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [row] = await db.$queryRaw<{ pages: bigint }[]>`
    SELECT (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::bigint AS pages FROM pg_statio_user_tables
    WHERE relname = 'tracking_search'`;
  return Number(row?.pages);
}

describe('a search whose parts are in all parcels, but which none has, reads a bounded part of them', () => {
  const bounds = { near: 10, candidates: 50, far: 100, texts: 150 };
  let own: OpenTestDatabase;
  let filter: ShipmentFilter;
  beforeAll(async () => {
    own = await openTestDatabase(1);
    await withoutAutovacuum(own.db);
    filter = { accountId: await newAccount(own.db, NOW), texts: ['aaaa bbb'] };
  });
  afterAll(() => own.close());
  const analyze = () => own.db.$executeRaw`ANALYZE trackings, tracking_search`;

  test.each<[string, () => Promise<unknown>]>([
    ['analyzed while they were empty', () => analyze().then(() => storeTitled(own.db, filter.accountId, 0))],
    ['after ANALYZE', analyze],
    ['just imported beside them', () => storeTitled(own.db, filter.accountId, 5000)],
    ['after VACUUM', () => own.db.$executeRaw`VACUUM ANALYZE trackings, tracking_search`],
  ])('%s', async (_, enter) => {
    await enter();
    const before = await readSoFar(own.db);
    const page = await listShipments(own.db, { filter, order: NEWEST_CHANGE_FIRST, limit: 20 }, bounds);
    const { total, isLowerBound } = await countShipments(own.db, filter, bounds);
    const after = await readSoFar(own.db);
    expect([page.rows, page.next === null, total, isLowerBound]).toEqual([[], false, 0, true]);
    // Each reads the start of the list, then texts up to the bound and too many candidates, then more of the list.
    const { near, candidates, far, texts } = bounds;
    expect(after.rows - before.rows).toBeLessThanOrEqual(2 * (near + texts + candidates + 1 + far) + 10);
    expect(after.pages - before.pages).toBeLessThan(1200);
  });
});

async function storeTitled(on: Db, owner: string, from: number): Promise<void> {
  await on.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, title, updated_at)
    SELECT lpad(to_hex(i), 24, '0'), ${owner}, 'YTN' || i, 'yto', false, 'scripted', '查询中', 'pending', 'aaa bbb', ${NOW}::timestamptz
    FROM generate_series(${from + 1}::int, ${from + 5000}::int) i`;
  await addSearchRows(on);
}

test('deep pages of a status continue where the one before ended', async () => {
  const seen: string[] = [];
  const filter = { accountId, states: ['已签收' as const] };
  let last: ShipmentCursor | null | undefined;
  do {
    const page = await listShipments(db, { filter, order: NEWEST_CHANGE_FIRST, limit: 33, after: last ?? undefined });
    seen.push(...page.rows.map(({ id }) => id));
    last = page.next;
  } while (last !== null);
  expect(seen).toHaveLength(200);
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
});
