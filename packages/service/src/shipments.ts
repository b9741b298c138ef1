import { findCarrier } from '@pts/carriers/registry/registry';
import type { Infer } from '@pts/contract/schema';
import type { exportQuery } from '@pts/contract/shipments';
import { ATTENTION_REASONS, attentionDays } from '@pts/core/attention';
import { type Fault, invalidField } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { MIN_SEARCHED, searchedTexts } from '@pts/core/search';
import { likeliest } from '@pts/core/sent-instead';
import { parseInstant, rangeFaults } from '@pts/core/time';
import { ACTIVE_SUB_STATUSES, isStatus, isSubStatus, STATUSES, SUB_STATUSES } from '@pts/core/tracking/status';
import type { Account } from '@pts/db/accounts/accounts';
import { listShipments, type ShipmentFilter, type ShipmentOrder, type TimeRange } from '@pts/db/shipments';
import { findByIds, type TrackingRecord } from '@pts/db/trackings/records';
import type { ServiceContext } from './context.ts';
import { codeInstead } from './trackings/register.ts';

type Query = Infer<typeof exportQuery>;

/** The `status` of all parcels from which more is expected. */
const ACTIVE = 'active';

/** The parcels of an account that a valid query names. An empty value is no filter. */
export function readFilter(
  { id, attention }: Pick<Account, 'id' | 'attention'>,
  query: Query,
  now: Date,
): ShipmentFilter {
  const { status, q, order_id: orderId, metadata, carrier, needs_attention: reason } = query;
  return {
    accountId: id,
    ...(isGiven(status) && { states: statesOf(status) }),
    ...(isGiven(q) && { texts: searchedTexts(q) ?? [] }),
    ...(isGiven(orderId) && { orderIds: [orderId] }),
    ...(metadata && Object.keys(metadata).length > 0 && { metadata }),
    ...(isGiven(carrier) && { carrier: codeOf(carrier) }),
    ...(reason !== undefined && {
      attention: { reasons: reason === 'true' ? ATTENTION_REASONS : [reason], now, days: attentionDays(attention) },
    }),
    ...range('created', query.created_after, query.created_before),
    ...range('updated', query.updated_after, query.updated_before),
  };
}

/** The order that a valid query names, or the usual one. */
export function readOrder({ sort }: { sort?: unknown }, usual: ShipmentOrder): ShipmentOrder {
  if (typeof sort !== 'string') return usual;
  return { by: sort.endsWith('created_at') ? 'created' : 'updated', isAscending: !sort.startsWith('-') };
}

/** The faults in the filters of a query, beyond its schema. */
export function filterFaults({ sandbox }: Pick<ServiceContext, 'sandbox'>, query: Record<string, unknown>): Fault[] {
  const { status, q, carrier } = query;
  return [
    ...(isGiven(status) ? statusFaults(status) : []),
    ...(isGiven(q) && searchedTexts(q) === null
      ? [invalidField('q', message('field.search', { min: MIN_SEARCHED }))]
      : []),
    ...(isGiven(carrier) ? carrierFaults(carrier, { sandbox }) : []),
    ...rangeFaults(query, 'created_after', 'created_before'),
    ...rangeFaults(query, 'updated_after', 'updated_before'),
  ];
}

const FILTERED_STATUSES: readonly string[] = [...STATUSES, ...SUB_STATUSES, ACTIVE];

/** Not an enum in the schema: an empty value means none, and a wrong one is often right but badly encoded. */
function statusFaults(status: string): Fault[] {
  if (FILTERED_STATUSES.includes(status)) return [];
  const [words, meant] = [FILTERED_STATUSES, likeliest(status, FILTERED_STATUSES)];
  const form =
    meant === undefined ? message('field.status', { words }) : message('field.status_meant', { words, meant });
  return [invalidField('status', form)];
}

function carrierFaults(given: string, options: { sandbox: boolean }): Fault[] {
  if (findCarrier(codeOf(given), options)) return [];
  return [invalidField('carrier', codeInstead(given, options) ?? message('field.unknown_carrier'))];
}

function isGiven(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function statesOf(status: string): ShipmentFilter['states'] {
  if (status === ACTIVE) return ACTIVE_SUB_STATUSES;
  return isStatus(status) || isSubStatus(status) ? [status] : undefined;
}

function codeOf(carrier: string): string {
  return carrier.trim().toLowerCase();
}

function range<const N extends string>(
  name: N,
  after: string | undefined,
  before: string | undefined,
): { [K in N]?: TimeRange } {
  if (!isGiven(after) && !isGiven(before)) return {};
  const times = { from: momentOf(after), until: momentOf(before) };
  return { [name]: times } as { [K in N]: TimeRange };
}

/** No parcel is older or newer, and the database does not read all other years. */
const TIMES_OF_PARCELS = { min: 0, max: Date.UTC(9999, 11, 31) } as const;

/** The moment that a valid query names, as far as the database reads it; undefined for none. */
export function momentOf(text: string | undefined): Date | undefined {
  const at = isGiven(text) ? parseInstant(text) : null;
  const { min, max } = TIMES_OF_PARCELS;
  return at === null ? undefined : new Date(Math.min(max, Math.max(min, at.getTime())));
}

/** The trackings of some orders of an account, oldest registrations first: at most `limit` of them. */
export async function findByOrders(
  { db }: Pick<ServiceContext, 'db'>,
  { accountId, orderIds, limit }: { accountId: string; orderIds: readonly string[]; limit: number },
): Promise<TrackingRecord[]> {
  const order = { by: 'created', isAscending: true } as const;
  const { rows: found } = await listShipments(db, { filter: { accountId, orderIds }, order, limit });
  const records = await findByIds(
    db,
    accountId,
    found.map(({ id }) => id),
  );
  return records.sort((a, b) => (a.id < b.id ? -1 : 1));
}
