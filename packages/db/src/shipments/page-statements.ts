import { Prisma } from '../generated/client.ts';
import type { Candidates } from './candidates.ts';
import { afterCursor, allOf, conditionsOf, type PageRequest } from './conditions.ts';
import { orderBy, type Range } from './ranges.ts';
import type { ShipmentFilter } from './shipment.ts';

/** As part of the text: where any limit is possible, a plan expects a tenth of the table, and would read and sort it. */
export const fixed = (limit: number) => Prisma.raw(String(limit));

/** The first rows of several ranges together, in their order. */
export function pageOfRanges(ranges: readonly Range[], { order, limit }: PageRequest, list: Prisma.Sql): Prisma.Sql {
  const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`t.*`, fixed(limit))})`);
  return Prisma.sql`
    SELECT ${list} FROM (${Prisma.join(parts, ' UNION ALL ')}) t ORDER BY ${orderBy(order)} LIMIT ${fixed(limit)}`;
}

/**
 * Those of the candidates that match, in their order; the list may contain `z.is_too_many`. There is always a row: without
 * parcels if no candidate matches, or if there are more than `most`.
 */
export function pageOfCandidates(
  candidates: Candidates,
  max: number,
  { filter, order, after, limit }: PageRequest,
  list: Prisma.Sql,
): Prisma.Sql {
  const start = after === undefined ? [] : [afterCursor(order, after)];
  return Prisma.sql`
    ${withCandidates(candidates, max)}
    SELECT ${list} FROM size z LEFT JOIN LATERAL (
      SELECT t.* FROM ${parcels(filter)} WHERE ${allOf([NOT_TOO_MANY, fitting(candidates, filter), ...start])}
      ORDER BY ${orderBy(order)} LIMIT ${fixed(limit)}
    ) t ON true ORDER BY ${orderBy(order)}`;
}

/** How many of the candidates match (`p.count`); the list may contain `z.is_too_many`. */
export function countOfCandidates(
  candidates: Candidates,
  max: number,
  filter: ShipmentFilter,
  list: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`
    ${withCandidates(candidates, max)}
    SELECT ${list} FROM size z LEFT JOIN LATERAL (
      SELECT count(*)::int AS count
      FROM ${candidates.isWhole ? Prisma.sql`candidate c` : parcels(filter)}
      WHERE ${allOf([NOT_TOO_MANY, fitting(candidates, filter)])}
    ) p ON true`;
}

/** Of a candidate `c`, and its parcel `t` if they are not the whole list. */
function fitting({ isWhole }: Candidates, filter: ShipmentFilter): Prisma.Sql {
  return isWhole ? Prisma.sql`c.fits` : matching(filter);
}

function withCandidates({ statement }: Candidates, max: number): Prisma.Sql {
  return Prisma.sql`
    WITH candidate AS MATERIALIZED (SELECT c.id, c.fits FROM (${statement}) c LIMIT ${fixed(max + 1)}),
      size AS MATERIALIZED (SELECT count(*) > ${fixed(max)} AS is_too_many FROM candidate)`;
}

const NOT_TOO_MANY = Prisma.sql`NOT z.is_too_many`;
/** By their keys: a subquery with an offset is never merged into its query and joined otherwise. */
function parcels({ accountId }: ShipmentFilter): Prisma.Sql {
  return Prisma.sql`
    candidate c JOIN LATERAL (SELECT * FROM public.trackings WHERE id = c.id AND account_id = ${accountId} OFFSET 0) t ON true`;
}

/**
 * Reads at most `depth` rows of a range, and returns those that match: at most `limit`. If there are fewer, a last row with
 * `p.is_end` says where the reading has stopped; without it, the range has no more rows.
 */
export function pageOfWalk(range: Range, depth: number, request: PageRequest, list: Prisma.Sql): Prisma.Sql {
  const { filter, order } = request;
  const limit = fixed(request.limit);
  // The rows of a materialized expression come in the order in which they were found.
  return Prisma.sql`
    WITH walked AS MATERIALIZED (${walk(range, depth, filter)}), picked AS (
      SELECT * FROM (
        (SELECT id, false AS is_end FROM walked WHERE fits LIMIT ${limit})
        UNION ALL (SELECT id, true FROM walked OFFSET ${fixed(depth - 1)})
      ) p LIMIT ${limit}
    )
    SELECT ${list} FROM picked p
    JOIN LATERAL (SELECT * FROM public.trackings WHERE id = p.id AND account_id = ${filter.accountId} OFFSET 0) t ON true
    ORDER BY p.is_end, ${orderBy(order)}`;
}

/** Of the first `depth` rows of a range: each row `w`, with whether it `fits`. */
export function countOfWalk(range: Range, depth: number, filter: ShipmentFilter, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${list} FROM (${walk(range, depth, filter)}) w`;
}

function walk(range: Range, depth: number, filter: ShipmentFilter): Prisma.Sql {
  return range(Prisma.sql`t.id, (${matching(filter)}) AS fits`, fixed(depth));
}

function matching(filter: ShipmentFilter): Prisma.Sql {
  return allOf([Prisma.sql`t.account_id = ${filter.accountId}`, ...conditionsOf(filter)]);
}
