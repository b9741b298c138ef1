import { Prisma } from '../generated/client.ts';
import { afterCursor, allOf, createdConditions, type PageRequest, stateConditions, stateRanges } from './conditions.ts';
import type { ShipmentFilter, ShipmentOrder } from './shipment.ts';

/** A statement: the first rows of one range of an index, in its order. The list is of a row of `trackings` named `t`. */
export type Range = (list: Prisma.Sql, limit: Prisma.Sql) => Prisma.Sql;

/** The ranges that have all rows of a list, in its order, and whether all of their rows belong to it. */
export type Ranges = { ranges: readonly [Range, ...Range[]]; isWhole: boolean };

/** The range, or the ranges, that a list in this order reads from a cursor on. */
export function rangesOf(request: Omit<PageRequest, 'limit'>): Ranges {
  return request.order.by === 'updated' ? byUpdate(request) : byRegistration(request);
}

function byUpdate({ filter, order, after }: Omit<PageRequest, 'limit'>): Ranges {
  const { accountId, status, subStatus, texts, carrier, created } = filter;
  const start = after === undefined ? [] : [afterCursor(order, after)];
  const range =
    (condition: readonly Prisma.Sql[]): Range =>
    (list, limit) =>
      Prisma.sql`
      SELECT ${list} FROM public.trackings t
      WHERE t.account_id = ${accountId} AND ${allOf([...condition, ...stateConditions(filter), ...start])}
      ORDER BY ${orderBy(order)} LIMIT ${limit}`;
  const hasOthers = isAnyGiven(texts, carrier, created);
  const states = stateRanges(filter);
  if (states === null || hasOthers || isAnyGiven(status, subStatus))
    return { ranges: [range([])], isWhole: !hasOthers && states === null };
  const [first, ...others] = states.map((condition) => range([condition]));
  return { ranges: [first ?? range([Prisma.sql`false`]), ...others], isWhole: true };
}

/** Ids begin with the time of the registration. */
function byRegistration({ filter, order, after }: Omit<PageRequest, 'limit'>): Ranges {
  const { accountId, status, subStatus, subStatuses, attention, texts, updated, carrier } = filter;
  const start = after === undefined ? [] : [afterCursor(order, after, 's.tracking_id')];
  const range: Range = (list, limit) => Prisma.sql`
    SELECT ${list} FROM public.tracking_search s
    JOIN LATERAL (SELECT * FROM public.trackings WHERE id = s.tracking_id AND account_id = s.account_id OFFSET 0) t ON true
    WHERE s.account_id = ${accountId} AND ${allOf([...searchConditions(filter), ...start])}
    ORDER BY ${searchOrder(order, carrier)} LIMIT ${limit}`;
  return { ranges: [range], isWhole: !isAnyGiven(status, subStatus, subStatuses, attention, texts, updated) };
}

/** Of a row of `tracking_search` named `s`: what its keys can find in an account. */
export function searchConditions({ carrier, created = {} }: ShipmentFilter): Prisma.Sql[] {
  return [
    // Not as an equation: then the parcels of all carriers are in the wanted order, too, and might be read instead.
    ...(carrier === undefined ? [] : [Prisma.sql`s.carrier BETWEEN ${carrier} AND ${carrier}`]),
    ...createdConditions('s.tracking_id', created),
  ];
}

/** The order of the index that has the conditions. */
export function searchOrder(
  { isAscending }: Pick<ShipmentOrder, 'isAscending'>,
  carrier: string | undefined,
): Prisma.Sql {
  const direction = isAscending ? 'ASC' : 'DESC';
  const ofCarrier = carrier === undefined ? '' : `s.carrier ${direction}, `;
  return Prisma.raw(`${ofCarrier}s.tracking_id ${direction}`);
}

export function orderBy({ by, isAscending }: ShipmentOrder): Prisma.Sql {
  const direction = isAscending ? 'ASC' : 'DESC';
  return Prisma.raw(by === 'created' ? `t.id ${direction}` : `t.updated_at ${direction}, t.id ${direction}`);
}

function isAnyGiven(...parts: unknown[]): boolean {
  return parts.some((part) => part !== undefined);
}
