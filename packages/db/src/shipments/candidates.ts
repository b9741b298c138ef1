import type { Db } from '../connection/client.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';
import { allOf, attentionConditions, containsOne, stateConditions } from './conditions.ts';
import { fixed } from './page.ts';
import { searchConditions } from './ranges.ts';
import type { ShipmentFilter } from './shipment.ts';

/** So many parcels are read and sorted in a few milliseconds. */
export const MAX_CANDIDATES = 5000;

const LIMIT = fixed(MAX_CANDIDATES + 1);
const CANDIDATE = columns({ id: column<string>('c.id') });

/**
 * The ids of all parcels that a part of the filter matches, in no order; the rest of the filter is not considered.
 * @returns null if each part matches more than `MAX_CANDIDATES`.
 */
export async function findCandidates(db: Db, filter: ShipmentFilter): Promise<string[] | null> {
  for (const part of [bySearch(filter), byState(filter)]) {
    if (part === null) continue;
    const found = await rows(db, CANDIDATE, (list) => Prisma.sql`SELECT ${list} FROM (${part}) c LIMIT ${LIMIT}`);
    if (found.length <= MAX_CANDIDATES) return found.map(({ id }) => id);
  }
  return null;
}

/** By what does not change with the state; null if the filter says nothing about it. */
function bySearch(filter: ShipmentFilter): Prisma.Sql | null {
  const { accountId, texts, carrier, created } = filter;
  const conditions = allOf(searchConditions(filter));
  if (texts === undefined)
    return carrier === undefined && created === undefined
      ? null
      : Prisma.sql`SELECT s.tracking_id AS id FROM public.tracking_search s WHERE ${conditions} LIMIT ${LIMIT}`;
  const grams = texts.map(
    (text) =>
      Prisma.sql`public.search_grams(f.account_id, f.text) @> public.search_grams(${accountId}, lower(${text}))`,
  );
  // Materialized: it is found by its grams alone, never by reading all parcels of the account. Other texts may have the same.
  return Prisma.sql`
    WITH s AS MATERIALIZED (SELECT * FROM public.tracking_search f WHERE ${Prisma.join(grams, ' OR ')})
    SELECT s.tracking_id AS id FROM s WHERE ${conditions} AND ${containsOne(Prisma.sql`s.text`, texts)}
    LIMIT ${LIMIT}`;
}

/** By the state, with one range of an index for each condition; null if the filter says nothing about it. */
function byState(filter: ShipmentFilter): Prisma.Sql | null {
  const { accountId, status, subStatus, attention, updated } = filter;
  if ([status, subStatus, attention, updated].every((part) => part === undefined)) return null;
  const state = [Prisma.sql`t.account_id = ${accountId}`, ...stateConditions(filter)];
  const range = (conditions: readonly Prisma.Sql[]) => Prisma.sql`
    (SELECT t.id FROM public.trackings t WHERE ${allOf(conditions)}
     ORDER BY t.updated_at DESC, t.id DESC LIMIT ${LIMIT})`;
  if (attention === undefined) return range(state);
  const isOfState = status !== undefined || subStatus !== undefined;
  const ranges = isOfState ? [state] : attentionConditions(attention).map((condition) => [...state, condition]);
  return Prisma.join(ranges.map(range), ' UNION ALL ');
}
