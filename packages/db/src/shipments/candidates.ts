import { Prisma } from '../generated/client.ts';
import { allOf, containsOne, stateConditions, stateRanges } from './conditions.ts';
import { searchConditions, searchOrder } from './ranges.ts';
import type { ShipmentFilter } from './shipment.ts';

/** A statement that selects `id`, in no order. */
export type Candidates = Prisma.Sql;

/**
 * Statements for the ids of all parcels that a part of the filter matches: by what does not change with the state, and by the
 * state, where the filter says something about it. The rest of the filter is not considered.
 * @param limit of their rows.
 */
export function candidatesOf(filter: ShipmentFilter, limit: Prisma.Sql): Candidates[] {
  return [bySearch(filter, limit), byState(filter, limit)].filter((part) => part !== null);
}

function bySearch(filter: ShipmentFilter, limit: Prisma.Sql): Candidates | null {
  const { accountId, texts, carrier, created } = filter;
  const conditions = allOf(searchConditions(filter));
  if (texts === undefined && carrier === undefined && created === undefined) return null;
  if (texts === undefined)
    return Prisma.sql`
      SELECT s.tracking_id AS id FROM public.tracking_search s WHERE s.account_id = ${accountId} AND ${conditions}
      ORDER BY ${searchOrder({ isAscending: false }, carrier)} LIMIT ${limit}`;
  const grams = texts.map(
    (text) =>
      Prisma.sql`public.search_grams(f.account_id, f.text) @> public.search_grams(${accountId}, lower(${text}))`,
  );
  // Materialized: it is found by its grams alone, never by reading all parcels of the account. Other texts may have the same.
  return Prisma.sql`
    WITH s AS MATERIALIZED (SELECT * FROM public.tracking_search f WHERE ${Prisma.join(grams, ' OR ')})
    SELECT s.tracking_id AS id FROM s WHERE s.account_id = ${accountId} AND ${conditions} AND ${containsOne(Prisma.sql`s.text`, texts)} LIMIT ${limit}`;
}

/** One range of an index for each condition. */
function byState(filter: ShipmentFilter, limit: Prisma.Sql): Candidates | null {
  const { accountId, status, subStatus, updated } = filter;
  const states = stateRanges(filter);
  if (states === null && [status, subStatus, updated].every((part) => part === undefined)) return null;
  const state = stateConditions(filter);
  const range = (conditions: readonly Prisma.Sql[]) => Prisma.sql`
    (SELECT t.id FROM public.trackings t WHERE t.account_id = ${accountId} AND ${allOf(conditions)}
     ORDER BY t.updated_at DESC, t.id DESC LIMIT ${limit})`;
  const isOfState = status !== undefined || subStatus !== undefined;
  if (states === null || isOfState) return range(state);
  const ranges = states.map((condition) => range([...state, condition]));
  return Prisma.join(ranges, ' UNION ALL ');
}

/** Parcels that are named by their ids. */
export function candidatesByIds(ids: readonly string[]): Candidates {
  return Prisma.sql`SELECT unnest(${[...ids]}::text[]) AS id`;
}
