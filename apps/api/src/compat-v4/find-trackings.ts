import type { Fault } from '@pts/core/errors';
import { listShipments } from '@pts/db/shipments/list';
import { NEWEST_CHANGE_FIRST } from '@pts/db/shipments/shipment';
import { byNumber } from '@pts/db/trackings/known';
import { findByIds, findByNumbers, type TrackingRecord } from '@pts/db/trackings/records';
import type { ApiDeps } from '../deps.ts';
import { noneRegistered, numbersFrom } from '../endpoints/trackings/get.ts';

const PAGE_SIZE = 100;
type Context = Pick<ApiDeps, 'db'>;

/** Whose trackings; of any carrier, or of one. */
type Filter = { accountId: string; carrier: string | undefined };

/** The requested number of trackings, newest change first. */
export async function findNewest(ctx: Context, filter: Filter, amount: string | undefined): Promise<TrackingRecord[]> {
  const limit = Number(amount ?? PAGE_SIZE);
  const { rows } = await listShipments(ctx.db, { filter, order: NEWEST_CHANGE_FIRST, limit });
  const ids = rows.map(({ id }) => id);
  return findInOrder(ctx, filter.accountId, ids);
}

/** Their pages are counted, ours have cursors. The first one again and again would be read without an end. */
export function laterPage({ pages_amount: page }: Record<string, unknown>): Fault[] {
  if (page === undefined || page === '' || page === '1') return [];
  const message = 'must be 1: GET /api/v1/shipments lists further trackings, with a cursor';
  return [{ field: 'pages_amount', message, error: 'invalid_field' }];
}

/** Filters of the family that are not offered here. */
const FILTERS = [
  'order_numbers',
  'delivery_status',
  'archived_status',
  ...['created_date', 'shipping_date', 'updated_date'].flatMap((date) => [`${date}_min`, `${date}_max`]),
];

/** Without one of them, the list would have other trackings than were asked for; those of given numbers are named by these. */
export function unsupportedFilters(query: Record<string, unknown>): Fault[] {
  const isGiven = (field: string) => query[field] !== undefined && query[field] !== '';
  if (isGiven('tracking_numbers')) return [];
  const message = 'is not supported: GET /api/v1/shipments filters by status, order and time';
  return FILTERS.filter(isGiven).map((field) => ({ field, message, error: 'invalid_field' }));
}

/** The trackings with these ids, in their order. */
export async function findInOrder({ db }: Context, accountId: string, ids: string[]): Promise<TrackingRecord[]> {
  const found = new Map((await findByIds(db, accountId, ids)).map((tracking) => [tracking.id, tracking]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The trackings of the numbers in a text, separated by commas, in their order. @throws ServiceError `not_registered` for none. */
export async function findNamed(
  { db }: Context,
  { accountId, carrier }: Filter,
  text: string,
): Promise<TrackingRecord[]> {
  const numbers = numbersFrom(text);
  const found = await findByNumbers(db, accountId, numbers);
  if (found.length === 0) throw noneRegistered(numbers);
  const ofNumber = byNumber(found.filter((tracking) => carrier === undefined || tracking.carrier === carrier));
  return [...new Set(numbers)].flatMap((number) => ofNumber.get(number) ?? []);
}
