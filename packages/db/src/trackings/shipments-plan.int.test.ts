import { openTestDatabase } from '@pts/testing/database';
import { newAccount } from '@pts/testing/factories';
import { listShipments, type ShipmentFilter, shipmentsPage } from './records.ts';

const NOW = new Date('2031-04-05T06:00:00.000Z');

const { db, close } = await openTestDatabase(2);
afterAll(close);
let accountId: string;
beforeAll(async () => {
  accountId = await newAccount(db, NOW);
  // Groups of forty with equal times, as after a batch; one in a hundred is delivered.
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at)
    SELECT lpad(to_hex(i), 24, '0'), ${accountId}, 'N' || i, 'yto', false, 'scripted',
      CASE WHEN i % 100 = 0 THEN '已签收' ELSE '查询中' END, CASE WHEN i % 100 = 0 THEN 'delivered' ELSE 'in_transit' END,
      ${NOW}::timestamptz, ${NOW}::timestamptz + make_interval(secs => i / 40)
    FROM generate_series(1, 20000) i`;
  await db.$executeRaw`ANALYZE trackings`;
}, 60_000);

const after = { updatedAt: new Date(NOW.getTime() + 200_000), id: '000000000000000000001f50' };

test.each<[string, Omit<ShipmentFilter, 'accountId' | 'limit'>, string]>([
  ['the first page', {}, 'trackings_account_id_updated_at_id_idx'],
  ['a deep page', { after }, 'trackings_account_id_updated_at_id_idx'],
  ['a status', { status: '已签收' }, 'trackings_account_id_status_updated_at_id_idx'],
  ['a deep page of a status', { status: '已签收', after }, 'trackings_account_id_status_updated_at_id_idx'],
  ['a sub-status', { subStatus: 'delivered' }, 'trackings_account_id_sub_status_updated_at_id_idx'],
  [
    'a deep page of a sub-status',
    { subStatus: 'delivered', after },
    'trackings_account_id_sub_status_updated_at_id_idx',
  ],
])('%s is one range of its index, without a sort', async (_, filter, index) => {
  const statement = shipmentsPage({ accountId, limit: 201, ...filter });
  const rows = await db.$queryRaw<{ 'QUERY PLAN': string }[]>`EXPLAIN (COSTS off) ${statement}`;
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).toContain(`Index Scan using ${index}`);
  expect(plan).not.toMatch(/Sort|Filter/);
  if ('after' in filter) expect(plan).toMatch(/Index Cond: .*ROW\(updated_at, \(?id/);
});

test('deep pages of a status continue where the one before ended', async () => {
  const seen: string[] = [];
  let last: ShipmentFilter['after'];
  for (;;) {
    const page = await listShipments(db, { accountId, status: '已签收', limit: 33, ...(last ? { after: last } : {}) });
    seen.push(...page.map(({ id }) => id));
    last = page.at(-1);
    if (page.length === 0) break;
  }
  expect(seen).toHaveLength(200);
  expect(seen).toEqual([...new Set(seen)].sort().reverse());
});
