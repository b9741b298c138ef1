import { ATTENTION_RULES, type AttentionCondition } from '@pts/core/attention';
import { lowestId } from '@pts/core/id';
import type { SubStatus } from '@pts/core/tracking/status';
import { Prisma } from '../generated/client.ts';
import type { ShipmentCursor, ShipmentFilter, ShipmentOrder, TimeRange } from './shipment.ts';

const DAY_MS = 86_400_000;
const NO_CONDITION = Prisma.sql`true`;

/** A list, its order and where its page starts. */
export type PageRequest = {
  filter: ShipmentFilter;
  order: ShipmentOrder;
  after?: ShipmentCursor | undefined;
  limit: number;
};

const time = (at: Date): Prisma.Sql => Prisma.sql`${at.toISOString()}::timestamptz`;

/** All of them, as one condition. */
export function allOf(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? NO_CONDITION : Prisma.join([...conditions], ' AND ');
}

/** Of a row of `trackings` named `t`: what an index of the state can find. */
export function stateConditions({ status, subStatus, updated = {} }: ShipmentFilter): Prisma.Sql[] {
  return [
    ...(status === undefined ? [] : [Prisma.sql`t.status = ${status}`]),
    ...(subStatus === undefined ? [] : [Prisma.sql`t.sub_status = ${subStatus}`]),
    ...(updated.from === undefined ? [] : [Prisma.sql`t.updated_at >= ${time(updated.from)}`]),
    ...(updated.until === undefined ? [] : [Prisma.sql`t.updated_at < ${time(updated.until)}`]),
  ];
}

/** The whole filter, apart from the account and the ids. */
export function conditionsOf(filter: ShipmentFilter): Prisma.Sql[] {
  const { subStatuses, carrier, texts, attention, created = {} } = filter;
  return [
    ...stateConditions(filter),
    ...(subStatuses === undefined ? [] : [isOneOf(subStatuses)]),
    ...(carrier === undefined ? [] : [Prisma.sql`t.carrier = ${carrier}`]),
    ...(texts === undefined
      ? []
      : [containsOne(Prisma.sql`public.search_text(t.tracking_number, t.order_id, t.title)`, texts)]),
    ...(attention === undefined ? [] : [Prisma.sql`(${Prisma.join(attentionConditions(attention), ' OR ')})`]),
    ...createdConditions('t.id', created),
  ];
}

/** An id begins with the second of the registration, so no other index is needed. */
export function createdConditions(idColumn: string, { from, until }: TimeRange): Prisma.Sql[] {
  const id = Prisma.raw(idColumn);
  return [
    ...(from === undefined ? [] : [Prisma.sql`${id} >= ${lowestId(from)}`]),
    ...(until === undefined ? [] : [Prisma.sql`${id} < ${lowestId(until)}`]),
  ];
}

/** Whether one of the texts is part of a searched text. */
export function containsOne(searched: Prisma.Sql, texts: readonly string[]): Prisma.Sql {
  return Prisma.sql`(${Prisma.join(
    texts.map((text) => Prisma.sql`strpos(${searched}, lower(${text})) > 0`),
    ' OR ',
  )})`;
}

/** Of a filter with several states: one for each, as each is a range of an index; null if it has none, or one. */
export function stateRanges({ subStatuses, attention }: ShipmentFilter): readonly Prisma.Sql[] | null {
  // As subqueries: the planner would read parcels of all states for one that it believes to be frequent.
  if (attention === undefined) return subStatuses?.map((each) => Prisma.sql`t.sub_status = (SELECT ${each})`) ?? null;
  const others = subStatuses === undefined ? [] : [isOneOf(subStatuses)];
  return attentionConditions(attention).map((condition) => allOf([condition, ...others]));
}

function isOneOf(states: readonly SubStatus[]): Prisma.Sql {
  const [only = ''] = states;
  return states.length === 1
    ? Prisma.sql`t.sub_status = ${literal(only)}`
    : Prisma.sql`t.sub_status IN (${Prisma.join(states.map(literal))})`;
}

/** One for each state in which a parcel needs attention for one of the reasons: each is a range of an index. */
function attentionConditions({ reasons, now }: NonNullable<ShipmentFilter['attention']>): Prisma.Sql[] {
  return reasons.flatMap((reason) => ATTENTION_RULES[reason].map((condition) => attentionCondition(condition, now)));
}

/** In the words of the indexes that have it: with the values of the table, not with parameters. */
function attentionCondition(condition: AttentionCondition, now: Date): Prisma.Sql {
  const { states, problem, quietDays, recentDays, isUndecided } = condition;
  const before = (days: number) => time(new Date(now.getTime() - days * DAY_MS));
  return allOf([
    ...(quietDays === undefined
      ? [isOneOf(states)]
      : [isQuiet(isUndecided ? ['undecided'] : states), Prisma.sql`t.updated_at <= ${before(quietDays)}`]),
    ...(problem === undefined
      ? []
      : [Prisma.sql`COALESCE(t.annotations ->> 'problem', 'exception') = ${literal(problem)}`]),
    ...(recentDays === undefined ? [] : [Prisma.sql`t.updated_at >= ${before(recentDays)}`]),
  ]);
}

/**
 * Of parcels that are polled, what they wait for: news of their state, or one of their possible carriers to know them. The states are
 * those of the index; the one that is wanted would lead to the index of all parcels in it, stopped ones included.
 */
function isQuiet(waitsFor: readonly string[]): Prisma.Sql {
  return Prisma.sql`t.stopped_at IS NULL AND t.sub_status IN ('pending', 'info_received', 'in_transit', 'out_for_delivery')
    AND CASE WHEN t.sub_status = 'pending' AND t.candidates IS NOT NULL AND t.detected THEN 'undecided' ELSE t.sub_status END
      IN (${Prisma.join(waitsFor.map(literal))})`;
}

const literal = (text: string) => Prisma.raw(`'${text}'`);

/** The rows after a cursor, in an order, as a row comparison: there, the range of the index starts. */
export function afterCursor(
  { by, isAscending }: ShipmentOrder,
  { updatedAt, id }: ShipmentCursor,
  idColumn = 't.id',
): Prisma.Sql {
  const is = Prisma.raw(isAscending ? '>' : '<');
  return by === 'created'
    ? Prisma.sql`${Prisma.raw(idColumn)} ${is} ${id}`
    : Prisma.sql`(t.updated_at, t.id) ${is} (${time(updatedAt)}, ${id})`;
}
