import { lowestId } from '@pts/core/id';
import type { Db } from '@pts/db/connection/client';

/** The last news of all parcels, unless another time is given. */
export const LAST_NEWS = new Date('2026-01-01T00:00:00Z');
const SECONDS_BETWEEN = 30;
/** Rows per statement, so that no transaction is long. */
const CHUNK = 20_000;

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

/** When the parcel `i` of `count` was registered. */
export function timeOf(i: number, count: number, last = LAST_NEWS): Date {
  return new Date(last.getTime() - (count - i) * SECONDS_BETWEEN * 1000);
}

/** What people type: whole numbers, their ends and beginnings, order ids, words, and what is not there. */
export function typedText(n: number, count: number): string {
  const i = (n * 7_919) % count;
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

/** Stores parcels of an account that a carrier has reported, the last one at `last`. */
export async function storeShipments(db: Db, accountId: string, count: number, last = LAST_NEWS): Promise<void> {
  for (let from = 0; from < count; from += CHUNK)
    await insert(db, { accountId, count, last }, from, Math.min(count, from + CHUNK));
}

type Stored = { accountId: string; count: number; last: Date };

async function insert(db: Db, { accountId, count, last }: Stored, from: number, until: number): Promise<void> {
  const event = { time: last.toISOString(), location: '杭州市', description: '已揽收', status: 'in_transit' };
  const rows = Array.from({ length: until - from }, (_, n) => {
    const i = from + n;
    const [status, sub_status, annotations] = stateOf(i);
    return {
      id: lowestId(timeOf(i, count, last)).slice(0, 8) + accountId.slice(-6) + i.toString(16).padStart(10, '0'),
      tracking_number: numberOf(i),
      carrier: CARRIERS[i % CARRIERS.length],
      status,
      sub_status,
      annotations,
      order_id: `A-${1_000_000 + i}`,
      title: titleOf(i),
      created_at: timeOf(i, count, last),
      // Three days later, a batch of forty at once.
      updated_at: new Date(Math.min(last.getTime(), timeOf(i - (i % 40), count, last).getTime() + 3 * 86_400_000)),
    };
  });
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, annotations,
      order_id, title, latest_event, created_at, updated_at)
    SELECT id, ${accountId}, tracking_number, carrier, false, 'bench', status, sub_status, annotations, order_id, title,
      ${JSON.stringify(event)}::jsonb, created_at, updated_at
    FROM jsonb_populate_recordset(NULL::trackings, ${JSON.stringify(rows)}::jsonb)`;
}
