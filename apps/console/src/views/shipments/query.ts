import type { Shipment, ShipmentSort } from '@pts/client/types';
import { type Range, rangeOf } from '../../behaviour/dates.ts';
import { isSearchable, searchedPart } from '../../behaviour/numbers.ts';
import type { ShipmentFilter } from '../../data/shipments.ts';

type Status = NonNullable<ShipmentFilter['status']>;
export type Reason = NonNullable<Shipment['attention']>['reason'];

/** The parameters of the address that narrow the list; they are named as in the API, but for the two times. */
export const FILTERS = ['q', 'status', 'carrier', 'needs_attention', 'created', 'updated'] as const;
/** Another list begins at its top, not at a place of the former one. */
export const FROM_TOP = { from: null };
export type FilterName = (typeof FILTERS)[number];

/** The states in the order of a parcel's life. The overall ones come first in each group. */
export const STATUS_GROUPS = [
  { status: '查询中', subStatuses: ['pending', 'info_received', 'in_transit'] },
  { status: '派送中', subStatuses: ['out_for_delivery', 'available_for_pickup'] },
  { status: '已签收', subStatuses: ['delivered'] },
  { status: '异常', subStatuses: ['exception', 'undeliverable', 'returned'] },
] as const satisfies readonly { status: Shipment['status']; subStatuses: readonly Shipment['sub_status'][] }[];

/** Sub-statuses after which no more news is expected; all other parcels are active. */
const ENDED: readonly string[] = ['delivered', 'returned', 'expired'] satisfies Shipment['sub_status'][];

export function isActive(subStatus: string): boolean {
  return !ENDED.includes(subStatus);
}

export const REASONS = [
  ...['delivery_failed', 'refused', 'address', 'customs', 'returning', 'exception', 'pickup', 'no_news'],
  ...['not_found', 'carrier_not_found', 'late', 'expired'],
] as readonly Reason[];

export const SORTS = ['-updated_at', 'updated_at', '-created_at', 'created_at'] as const satisfies ShipmentSort[];

/** In the same order. */
export const SUB_STATUSES: readonly string[] = [...STATUS_GROUPS.flatMap(({ subStatuses }) => subStatuses), 'expired'];

const STATUSES: readonly string[] = [...STATUS_GROUPS.map(({ status }) => status), ...SUB_STATUSES, 'active'];
const CODE = /^[a-z0-9-]{1,40}$/;
type Get = (name: string) => string | null;

/** The value of a filter in the address; null: it has none, or one that is not known. */
export function filterValue(get: Get, name: FilterName): string | null {
  const value = get(name);
  return value !== null && IS_KNOWN[name](value) ? value : null;
}

const IS_KNOWN: Readonly<Record<FilterName, (value: string) => boolean>> = {
  q: isSearchable,
  status: (value) => STATUSES.includes(value),
  carrier: (value) => CODE.test(value),
  needs_attention: (value) => value === 'true' || (REASONS as readonly string[]).includes(value),
  created: isRange,
  updated: isRange,
};

/** Undefined: the address names none. A list then has the first one, and an export one in which nothing moves. */
export function sortOf(get: Get): ShipmentSort | undefined {
  return SORTS.find((sort) => sort === get('sort'));
}

/** The filter that the service is asked for. */
export function queryOf(get: Get, now: Date): ShipmentFilter {
  const value = (name: FilterName) => filterValue(get, name) ?? undefined;
  const searched = value('q');
  const attention = value('needs_attention');
  const created = rangeOf(value('created') ?? '', now);
  const updated = rangeOf(value('updated') ?? '', now);
  return {
    q: searched && searchedPart(searched),
    status: value('status') as Status | undefined,
    carrier: value('carrier'),
    needs_attention: attention === 'true' ? true : (attention as Reason | undefined),
    ...textsOf('created', created),
    ...textsOf('updated', updated),
    sort: sortOf(get),
  };
}

function textsOf(name: 'created' | 'updated', range: Range | null) {
  return { [`${name}_after`]: range?.after?.toISOString(), [`${name}_before`]: range?.before?.toISOString() };
}

function isRange(value: string): boolean {
  return rangeOf(value, new Date(0)) !== null;
}
