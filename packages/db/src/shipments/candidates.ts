import { Prisma } from '../generated/client.ts';
import { allOf, containsOne, stateConditions, stateRanges } from './conditions.ts';
import { searchConditions, searchOrder } from './ranges.ts';
import type { ShipmentFilter } from './shipment.ts';

/**
 * A statement that selects `id`, in no order, and whether the parcel `fits` this part of the filter; and whether those that fit are
 * all that the whole filter matches.
 */
export type Candidates = { statement: Prisma.Sql; isWhole: boolean };

/**
 * Statements for all parcels that a part of the filter matches: by what does not change with the state, and by the state, where the
 * filter says something about it. The rest of the filter is not considered.
 * @param limit of their rows.
 * @param read rows of which a search compares the text. Of those behind them, all are candidates: soon there are too many.
 */
export function candidatesOf(filter: ShipmentFilter, limit: Prisma.Sql, read: Prisma.Sql): Candidates[] {
  const [search, state] = [bySearch(filter, limit, read), byState(filter, limit)];
  return [
    ...(search === null ? [] : [{ statement: search, isWhole: state === null }]),
    // A state is not all that a filter by attention says about it.
    ...(state === null ? [] : [{ statement: state, isWhole: false }]),
  ];
}

function bySearch(filter: ShipmentFilter, limit: Prisma.Sql, read: Prisma.Sql): Prisma.Sql | null {
  const { accountId, texts, carrier, created } = filter;
  if (texts === undefined && carrier === undefined && created === undefined) return null;
  const conditions = allOf(searchConditions(filter));
  if (texts === undefined)
    return Prisma.sql`
      SELECT s.tracking_id AS id, true AS fits FROM public.tracking_search s WHERE s.account_id = ${accountId} AND ${conditions}
      ORDER BY ${searchOrder({ isAscending: false }, carrier)} LIMIT ${limit}`;
  const grams = texts.map(
    (text) => Prisma.sql`public.search_grams(f.account_id, f.text) @> ${gramsOf(accountId, text)}`,
  );
  const fits = Prisma.sql`s.account_id = ${accountId} AND ${conditions} AND ${containsOne(Prisma.sql`s.text`, texts)}`;
  // They are found by their grams alone, never by reading all parcels of the account. Other texts may have the same.
  return Prisma.sql`
    SELECT c.tracking_id AS id, c.fits FROM (
      SELECT s.tracking_id, ${fits} AS fits, row_number() OVER () AS n
      FROM (SELECT * FROM public.tracking_search f WHERE ${Prisma.join(grams, ' OR ')} OFFSET 0) s
    ) c WHERE c.fits OR c.n > ${read} LIMIT ${limit}`;
}

/** As many grams of a text as its characters need, and at most eleven: each costs a pass through the parcels that have it. */
function gramsOf(accountId: string, text: string): Prisma.Sql {
  return Prisma.sql`(
    SELECT COALESCE(array_agg(gram), '{}') FROM (
      SELECT gram, n, count(*) OVER () AS count
      FROM unnest(public.search_grams(${accountId}, lower(${text}))) WITH ORDINALITY AS g (gram, n)
    ) g WHERE (n - 1) % (CASE WHEN count < 8 THEN 1 ELSE GREATEST(3, count / 8) END) = 0 OR n = count)`;
}

/** One range of an index for each condition. */
function byState(filter: ShipmentFilter, limit: Prisma.Sql): Prisma.Sql | null {
  const { accountId, status, subStatus, updated } = filter;
  const states = stateRanges(filter);
  if (states === null && [status, subStatus, updated].every((part) => part === undefined)) return null;
  const state = stateConditions(filter);
  const range = (conditions: readonly Prisma.Sql[]) => Prisma.sql`
    (SELECT t.id, true AS fits FROM public.trackings t WHERE t.account_id = ${accountId} AND ${allOf(conditions)}
     ORDER BY t.updated_at DESC, t.id DESC LIMIT ${limit})`;
  const isOfState = status !== undefined || subStatus !== undefined;
  if (states === null || isOfState) return range(state);
  const ranges = states.map((condition) => range([...state, condition]));
  return Prisma.join(ranges, ' UNION ALL ');
}

/** Parcels that are named by their ids. */
export function candidatesByIds(ids: readonly string[]): Candidates {
  return { statement: Prisma.sql`SELECT unnest(${[...ids]}::text[]) AS id, true AS fits`, isWhole: false };
}
