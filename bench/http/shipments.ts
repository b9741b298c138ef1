import { ATTENTION_REASONS } from '@pts/core/attention/attention';
import { lowestId } from '@pts/core/id';
import { searchedTexts } from '@pts/core/search';
import { type Db, openDatabase } from '@pts/db/connection/client';
import { countShipments } from '@pts/db/shipments/count';
import { listShipments } from '@pts/db/shipments/list';
import {
  NEWEST_CHANGE_FIRST,
  type ShipmentCursor,
  type ShipmentFilter,
  type ShipmentOrder,
} from '@pts/db/shipments/shipment';
import { createAccount } from '@pts/service/accounts/create';
import { testDatabase } from '@pts/testing/database';
import { type Figure, figure } from '../parts/figure.ts';
import { percentile } from '../parts/samples.ts';

const COUNT = 1_000_000;
/** Of a merchant beside two large ones. */
const FEW = 100;
/** Rows per statement, so that no transaction is long. */
const CHUNK = 20_000;
const LIMIT = 200;
const ROUNDS = 200;
const SEARCHES = 400;
/** Goals, in milliseconds. */
const GOAL = { page: 50, search: 100 };
const LAST = new Date('2026-01-01T00:00:00Z');
const SECONDS_BETWEEN = 30;

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
  for (let from = 0; from < COUNT; from += CHUNK)
    for (const account of [large, other]) await insert(db, account, from, from + CHUNK);
  await insert(db, small, COUNT / 2, COUNT / 2 + FEW);
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
    page({ filter: { texts: searchedTexts(typedText(n)) ?? [] } }, account);
  figures.push(...ofGoal('search', await timesOf(SEARCHES, search(large)), GOAL.search));
  figures.push(...ofGoal('search beside large', await timesOf(SEARCHES, search(small)), GOAL.search));
  const count = (n: number) => countShipments(db, { accountId: large, texts: searchedTexts(typedText(n)) ?? [] });
  figures.push(...ofGoal('search count', await timesOf(SEARCHES, count), GOAL.search));
  await db.$disconnect();
  await database.close();
  return figures;
}

const after = { updatedAt: timeOf(COUNT / 2), id: lowestId(timeOf(COUNT / 2)) };
const attention = { reasons: ATTENTION_REASONS, now: LAST };
const OLDEST_CHANGE_FIRST: ShipmentOrder = { by: 'updated', isAscending: true };
const NEWEST_FIRST: ShipmentOrder = { by: 'created', isAscending: false };
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
  '-created_at deep': { order: NEWEST_FIRST, after },
  'created_at deep': { order: OLDEST_FIRST, after },
  'created_at of a status': { filter: { status: '异常' }, order: OLDEST_FIRST },
  carrier: { filter: { carrier: 'china-post' } },
  needs_attention: { filter: { attention } },
  'needs_attention deep': { filter: { attention }, after },
  'needs_attention, -created_at': { filter: { attention }, order: NEWEST_FIRST },
  'needs_attention customs': { filter: { attention: { ...attention, reasons: ['customs'] } } },
};

async function newAccount(db: Db): Promise<string> {
  return (await createAccount({ db, now: () => LAST }, { name: 'bench', plan: 'enterprise' })).account.id;
}

const WORDS = ['Blue', 'Red', 'Green', 'Summer', 'Cotton', '蓝色', '大号', 'Mini', 'Large', 'Silk'];
const THINGS = ['jacket', 'shirt', 'shoes', 'cable', 'lamp', 'chair', 'robot', 'bottle', 'camera', '手机壳', '外套'];
const CARRIERS = ['sf-express', 'sf-express', 'sf-express', 'ups', 'ups', 'yto', 'yto', 'dhl', 'china-post', 'yto'];

/** Of the parcel `i`, as its merchant knows it: numbers of a carrier have the same beginning and follow each other. */
function numberOf(i: number): string {
  const carrier = CARRIERS[i % CARRIERS.length];
  if (carrier === 'sf-express') return `SF${1_400_000_000_000 + 37 * i}`;
  if (carrier === 'ups') return `1Z999AA1${1_000_000_000 + i}`;
  if (carrier === 'dhl') return `00340434161${String(i).padStart(9, '0')}`;
  return carrier === 'yto' ? `YT${8_800_000_000_000 + 11 * i}` : `EE${String(i).padStart(9, '0')}CN`;
}

const titleOf = (i: number) => `${WORDS[(7 * i) % WORDS.length]} ${THINGS[(13 * i) % THINGS.length]}, size ${i % 40}`;

/** Of a hundred parcels, 90 are delivered, 4 in trouble, 1 waits to be picked up, and 5 are in transit. */
function stateOf(i: number): [status: string, subStatus: string, annotations: object | null] {
  const share = (i * 61) % 100;
  if (share < 90) return ['已签收', 'delivered', null];
  if (share < 94) return ['异常', 'exception', share === 90 ? { problem: 'customs' } : { problem: 'delivery_failed' }];
  return share === 94 ? ['派送中', 'available_for_pickup', null] : ['查询中', 'in_transit', null];
}

function timeOf(index: number): Date {
  return new Date(LAST.getTime() - (COUNT - index) * SECONDS_BETWEEN * 1000);
}

async function insert(db: Db, accountId: string, from: number, until: number): Promise<void> {
  const event = { time: LAST.toISOString(), location: '杭州市', description: '已揽收', status: 'in_transit' };
  const rows = Array.from({ length: until - from }, (_, n) => {
    const i = from + n;
    const [status, sub_status, annotations] = stateOf(i);
    return {
      id: lowestId(timeOf(i)).slice(0, 8) + accountId.slice(-6) + i.toString(16).padStart(10, '0'),
      tracking_number: numberOf(i),
      carrier: CARRIERS[i % CARRIERS.length],
      status,
      sub_status,
      annotations,
      order_id: `A-${1_000_000 + i}`,
      title: titleOf(i),
      created_at: timeOf(i),
      // Three days later, a batch of forty at once.
      updated_at: new Date(Math.min(LAST.getTime(), timeOf(i - (i % 40)).getTime() + 3 * 86_400_000)),
    };
  });
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, annotations,
      order_id, title, latest_event, created_at, updated_at)
    SELECT id, ${accountId}, tracking_number, carrier, false, 'bench', status, sub_status, annotations, order_id, title,
      ${JSON.stringify(event)}::jsonb, created_at, updated_at
    FROM jsonb_populate_recordset(NULL::trackings, ${JSON.stringify(rows)}::jsonb)`;
}

/** What people type: whole numbers, their ends and beginnings, order ids, words, and what is not there. */
function typedText(n: number): string {
  const i = (n * 7_919) % COUNT;
  const number = numberOf(i);
  const kinds = [
    () => number,
    () => number.slice(-6),
    () => number.slice(0, 3 + (n % (number.length - 3))),
    () => `A-${1_000_000 + i}`,
    () => String(i).slice(0, 4).padEnd(4, '7'),
    () => titleOf(i),
    () => THINGS[n % THINGS.length] ?? '',
    () => `${number.slice(0, 6)}zz`,
  ];
  return kinds[n % kinds.length]?.() ?? '';
}

async function byPrimaryKey(db: Db): Promise<unknown> {
  return db.$queryRaw`
    SELECT id, tracking_number, carrier, status, sub_status, latest_event, order_id, title, created_at, updated_at FROM trackings
    WHERE id > ${lowestId(timeOf(COUNT / 2))} ORDER BY id LIMIT ${LIMIT + 1}`;
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
