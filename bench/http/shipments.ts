import { ATTENTION_REASONS } from '@pts/core/attention/attention';
import { lowestId } from '@pts/core/id';
import { searchedTexts } from '@pts/core/search';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { countShipments } from '@pts/db/shipments/count';
import { listShipments } from '@pts/db/shipments/list';
import {
  NEWEST_CHANGE_FIRST,
  NEWEST_REGISTRATION_FIRST,
  type ShipmentCursor,
  type ShipmentFilter,
  type ShipmentOrder,
} from '@pts/db/shipments/shipment';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { type Figure, figure } from '../parts/figure.ts';
import { percentile } from '../parts/samples.ts';
import { LAST_NEWS, storeShipments, timeOf, typedText } from '../seed/shipments.ts';

const COUNT = 1_000_000;
/** Of a merchant beside two large ones. */
const FEW = 100;
const LIMIT = 200;
const ROUNDS = 200;
const SEARCHES = 400;
/** Goals, in milliseconds. */
const GOAL = { page: 50, search: 100 };

type List = { filter?: Omit<ShipmentFilter, 'accountId'>; order?: ShipmentOrder; after?: ShipmentCursor };

/**
 * Pages of GET /shipments of an account with a million trackings, beside another one with the same numbers, in milliseconds. Pages
 * that are a range of an index against as many rows of the same table by primary key: what a page costs beyond reading its rows.
 * Other pages and searches against what a person does not notice.
 */
export async function benchShipments(): Promise<Figure[]> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 2, statementMs: 60_000 });
  const [large = '', other = '', small = ''] = await Promise.all([1, 2, 3].map(() => newAccount(db)));
  for (const account of [large, other]) await storeShipments(db, account, COUNT);
  await storeShipments(db, small, FEW);
  await db.$executeRaw`VACUUM ANALYZE trackings, tracking_search`;
  const page = ({ filter, order = NEWEST_CHANGE_FIRST, after }: List, accountId = large) =>
    listShipments(db, { filter: { accountId, ...filter }, order, after, limit: LIMIT });
  const bare = await timesOf(ROUNDS, () => byPrimaryKey(db));
  const figures: Figure[] = [];
  for (const [name, list] of Object.entries(RANGES)) {
    const times = await timesOf(ROUNDS, () => page(list));
    figures.push(figure(`shipments ${name}`, percentile(times, 0.5), percentile(bare, 0.5), 'ms a page'));
  }
  for (const [name, list] of Object.entries(OTHER_PAGES))
    figures.push(...ofGoal(`shipments ${name}`, await timesOf(ROUNDS, () => page(list)), GOAL.page));
  const search = (account: string) => (n: number) =>
    page({ filter: { texts: searchedTexts(typedText(n, COUNT)) ?? [] } }, account);
  figures.push(...ofGoal('search', await timesOf(SEARCHES, search(large)), GOAL.search));
  figures.push(...ofGoal('search beside large', await timesOf(SEARCHES, search(small)), GOAL.search));
  const count = (n: number) =>
    countShipments(db, { accountId: large, texts: searchedTexts(typedText(n, COUNT)) ?? [] });
  figures.push(...ofGoal('search count', await timesOf(SEARCHES, count), GOAL.search));
  await db.$disconnect();
  await database.close();
  return figures;
}

const after = { updatedAt: timeOf(COUNT / 2, COUNT), id: lowestId(timeOf(COUNT / 2, COUNT)) };
const attention = { reasons: ATTENTION_REASONS, now: LAST_NEWS };
const OLDEST_CHANGE_FIRST: ShipmentOrder = { by: 'updated', isAscending: true };
const OLDEST_FIRST: ShipmentOrder = { by: 'created', isAscending: true };
const RANGES: Readonly<Record<string, List>> = {
  first: {},
  deep: { after },
  status: { filter: { status: '已签收' } },
  'status deep': { filter: { status: '已签收' }, after },
  'sub_status deep': { filter: { subStatus: 'delivered' }, after },
};
const OTHER_PAGES: Readonly<Record<string, List>> = {
  'updated_at deep': { order: OLDEST_CHANGE_FIRST, after },
  '-created_at deep': { order: NEWEST_REGISTRATION_FIRST, after },
  'created_at deep': { order: OLDEST_FIRST, after },
  'created_at of a status': { filter: { status: '异常' }, order: OLDEST_FIRST },
  carrier: { filter: { carrier: 'china-post' } },
  needs_attention: { filter: { attention } },
  'needs_attention deep': { filter: { attention }, after },
  'needs_attention, -created_at': { filter: { attention }, order: NEWEST_REGISTRATION_FIRST },
  'needs_attention customs': { filter: { attention: { ...attention, reasons: ['customs'] } } },
};

async function newAccount(db: Db): Promise<string> {
  return (await createAccount({ db, now: () => LAST_NEWS }, { name: 'bench', plan: 'enterprise' })).account.id;
}

async function byPrimaryKey(db: Db): Promise<unknown> {
  return db.$queryRaw`
    SELECT id, tracking_number, carrier, status, sub_status, latest_event, order_id, title, created_at, updated_at FROM trackings
    WHERE id > ${lowestId(timeOf(COUNT / 2, COUNT))} ORDER BY id LIMIT ${LIMIT + 1}`;
}

/** In milliseconds, once it is warm. */
async function timesOf(rounds: number, work: (n: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 2 * rounds; n++) {
    const startedAt = performance.now();
    await work(n);
    times.push(performance.now() - startedAt);
  }
  return times.slice(rounds);
}

function ofGoal(name: string, times: readonly number[], goal: number): Figure[] {
  return [
    figure(`${name} p50`, percentile(times, 0.5), Number.NaN, 'ms'),
    figure(`${name} p99`, percentile(times, 0.99), goal, 'ms'),
  ];
}
