import { Prisma } from '../generated/client.ts';
import { afterCursor, allOf, conditionsOf, type PageRequest } from './conditions.ts';
import { orderBy, type Range } from './ranges.ts';

/** As part of the text: where any limit is possible, a plan expects a tenth of the table, and would read and sort it. */
export const fixed = (limit: number) => Prisma.raw(String(limit));

/** The first rows of several ranges together, in their order. */
export function pageOfRanges(ranges: readonly Range[], { order, limit }: PageRequest, list: Prisma.Sql): Prisma.Sql {
  const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`t.*`, fixed(limit))})`);
  return Prisma.sql`
    SELECT ${list} FROM (${Prisma.join(parts, ' UNION ALL ')}) t ORDER BY ${orderBy(order)} LIMIT ${fixed(limit)}`;
}

/** Those of some parcels that match, in their order. */
export function pageOfIds(ids: readonly string[], request: PageRequest, list: Prisma.Sql): Prisma.Sql {
  const { order, after, limit } = request;
  const start = after === undefined ? [] : [afterCursor(order, after)];
  return Prisma.sql`
    SELECT ${list} ${ofIds(ids)} WHERE ${allOf([matching(request), ...start])}
    ORDER BY ${orderBy(order)} LIMIT ${fixed(limit)}`;
}

/** How many of some parcels match. */
export function countOfIds(ids: readonly string[], request: Pick<PageRequest, 'filter'>, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${list} ${ofIds(ids)} WHERE ${matching(request)}`;
}

/**
 * Reads at most `depth` rows of a range, and returns those that match: at most `limit`. If there are fewer, a last row with
 * `isEnd` says where the reading has stopped; without it, the range has no more rows.
 */
export function pageOfWalk(range: Range, request: PageRequest, depth: number, list: Prisma.Sql): Prisma.Sql {
  const limit = fixed(request.limit);
  // The rows of a materialized expression come in the order in which they were found.
  return Prisma.sql`
    WITH walked AS MATERIALIZED (${walk(range, request, depth)}), picked AS (
      SELECT * FROM (
        (SELECT id, false AS is_end FROM walked WHERE fits LIMIT ${limit})
        UNION ALL (SELECT id, true FROM walked OFFSET ${fixed(depth - 1)})
      ) p LIMIT ${limit}
    )
    SELECT ${list} FROM picked p JOIN LATERAL (SELECT * FROM public.trackings WHERE id = p.id OFFSET 0) t ON true
    ORDER BY p.is_end, ${orderBy(request.order)}`;
}

/** How many of the first `depth` rows of a range match, and how many there are. */
export function countOfWalk(
  range: Range,
  request: Pick<PageRequest, 'filter'>,
  depth: number,
  list: Prisma.Sql,
): Prisma.Sql {
  return Prisma.sql`SELECT ${list} FROM (${walk(range, request, depth)}) w`;
}

function walk(range: Range, request: Pick<PageRequest, 'filter'>, depth: number): Prisma.Sql {
  return range(Prisma.sql`t.id, (${matching(request)}) AS fits`, fixed(depth));
}

function matching({ filter }: Pick<PageRequest, 'filter'>): Prisma.Sql {
  return allOf([Prisma.sql`t.account_id = ${filter.accountId}`, ...conditionsOf(filter)]);
}

/** Parcels by their keys: a subquery with an offset is never merged into its query and joined otherwise. */
function ofIds(ids: readonly string[]): Prisma.Sql {
  return Prisma.sql`
    FROM unnest(${[...ids]}::text[]) AS r(id)
    JOIN LATERAL (SELECT * FROM public.trackings WHERE id = r.id OFFSET 0) t ON true`;
}
