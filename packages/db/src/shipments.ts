import {
  ATTENTION_REASONS,
  ATTENTION_RULES,
  type AttentionCondition,
  type AttentionDays,
  type AttentionReason,
  endOfDay,
  lateDates,
  waitMs,
} from '@pts/core/attention';
import type { DeliveryEstimate } from '@pts/core/estimates';
import { lowestId } from '@pts/core/id';
import type { Milestones } from '@pts/core/tracking/derive';
import type { ParcelProblem, PickupPoint, Proof, TrackingEvent } from '@pts/core/tracking/scan';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import { column, columns, columnsOf, type Db, hotRows, instant, type RowOf, rowsByIndexOnce } from './connection.ts';
import { Prisma, type Tracking } from './generated/client.ts';

/** A row of a list. */
const SHIPMENT = columns({
  ...columnsOf<Tracking>('t')('id', 'trackingNumber', 'carrier'),
  /** The provider that answered, or else that is asked. */
  provider: column<Tracking['provider']>("COALESCE(t.annotations ->> 'provider', t.provider)"),
  /** Whether several carriers are possible, and none has known the number so far. */
  isUndecided: column<boolean>('(t.detected AND t.candidates IS NOT NULL)'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  latestEvent: column<TrackingEvent | null>('t.latest_event'),
  estimate: column<DeliveryEstimate | null>("t.annotations -> 'estimate'"),
  problem: column<ParcelProblem | null>("t.annotations ->> 'problem'"),
  ...columnsOf<Tracking>('t')('orderId', 'title', 'createdAt', 'updatedAt', 'stoppedAt'),
});

/** A row with what only optional fields show: without them, reading and parsing it would be wasted. */
const DETAILED = columns({
  ...SHIPMENT.columns,
  milestones: column<Milestones | null>("t.annotations -> 'milestones'"),
  proof: column<Proof | null>("t.annotations -> 'proof'"),
  pickupPoint: column<PickupPoint | null>("t.annotations -> 'pickupPoint'"),
});

export type ShipmentRow = RowOf<typeof SHIPMENT> & Partial<RowOf<typeof DETAILED>>;

/** Which of an account's parcels. */
export type ShipmentFilter = {
  accountId: string;
  status?: Status | undefined;
  subStatus?: SubStatus | undefined;
  /** Only parcels in one of these states. */
  subStatuses?: readonly SubStatus[] | undefined;
  ids?: readonly string[] | undefined;
  /** Texts of which one is part of the number, the order id or the title (`searchedTexts`). */
  texts?: readonly string[] | undefined;
  /** Only parcels of one of these orders, exactly. */
  orderIds?: readonly string[] | undefined;
  /** Only parcels that have all of these entries, exactly. */
  metadata?: Readonly<Record<string, string>> | undefined;
  carrier?: string | undefined;
  /** Only parcels that need attention, for one of these reasons. */
  attention?: ({ reasons: readonly AttentionReason[] } & AttentionMoment) | undefined;
  /** Registered in this second or later, and before that one. */
  created?: TimeRange | undefined;
  /** Its last news came at this time or later, and before that one. */
  updated?: TimeRange | undefined;
};

/** When parcels need attention: at which time, and after how many days. */
export type AttentionMoment = { now: Date; days: AttentionDays };

/** From a time, inclusive, until another, exclusive. */
export type TimeRange = { from?: Date | undefined; until?: Date | undefined };

/** By the time of the last news, or by that of the registration, to the second. */
export type ShipmentOrder = { by: 'updated' | 'created'; isAscending: boolean };

/** Where a page ends. The id alone says when a parcel was registered. */
export type ShipmentCursor = { updatedAt: Date; id: string };

export const NEWEST_CHANGE_FIRST: ShipmentOrder = { by: 'updated', isAscending: false };
/** An order in which no parcel moves while pages are read. */
export const NEWEST_REGISTRATION_FIRST: ShipmentOrder = { by: 'created', isAscending: false };

/** How much is read for a page that no index has in its order. */
export type Bounds = {
  /** Rows of the list, to see whether matches are frequent. */
  near: number;
  /** Parcels that a part of the filter matches. */
  candidates: number;
  /** Rows of the list. */
  far: number;
  /** Parcels whose text is compared with a search. */
  texts: number;
};

/** Bounds within which a query takes some tens of milliseconds. */
export const BOUNDS: Bounds = { near: 1000, candidates: 10_000, far: 20_000, texts: 150_000 };

/**
 * The part of a page that is filled at least. Less of it is only returned where matches are too many, or too far apart,
 * to find all of them.
 */
const MIN_FILLED = 0.25;

/** `next` is where the following page starts; null if there is none. */
type ShipmentPage = { rows: ShipmentRow[]; next: ShipmentCursor | null };

/**
 * A page of an account's parcels. Where an index has the list in its order, a page is a range of it. Otherwise a part
 * of the list is read in its order, if that is likely to find a good part of a page; if not, all parcels that a part of
 * the filter matches are read and sorted, unless there are too many. A page of a part of the list may have fewer rows
 * than its limit, or none, and still says where the next one starts.
 */
export async function listShipments(db: Db, request: PageRequest, bounds = BOUNDS): Promise<ShipmentPage> {
  // One more than a page shows whether there is a next page.
  const wanted = { ...request, limit: request.limit + 1 };
  const { rows: found, end } = await readList(db, wanted, bounds);
  const page = found.slice(0, request.limit);
  return { rows: page, next: found.length > request.limit ? (page.at(-1) ?? null) : end };
}

/** The first matches. `end`: where the reading has stopped, if there may be more behind it. */
type Found = { rows: ShipmentRow[]; end: ShipmentCursor | null };

async function readList(db: Db, request: PageRequest, bounds: Bounds): Promise<Found> {
  const { filter } = request;
  const { near, candidates, far, texts } = bounds;
  if (filter.ids !== undefined) {
    const named = await readCandidates(db, candidatesByIds(filter.ids), filter.ids.length, request);
    return named ?? { rows: [], end: null };
  }
  if (filter.orderIds !== undefined) {
    // An order has few parcels.
    const ofOrders = await readFirst(
      db,
      candidatesOf(filter, fixed(candidates + 1), fixed(texts)),
      candidates,
      request,
    );
    if (ofOrders !== null) return ofOrders;
  }
  const { ranges, isWhole } = rangesOf(request);
  if (isWhole) return { rows: await readRanges(db, ranges, request), end: null };
  const first = await readWalk(db, ranges[0], near, request);
  if (first.end === null) return first;
  // At this rate, the page will be filled to this share. To read and sort all matches, of which there are many, takes
  // longer.
  const isFrequent = first.rows.length * far >= MIN_FILLED * request.limit * near;
  const parts = isFrequent ? [] : candidatesOf(filter, fixed(candidates + 1), fixed(texts));
  return (await readFirst(db, parts, candidates, request)) ?? readWalk(db, ranges[0], far, request);
}

/** The matches among the first candidates that are not too many; null if there are none. */
async function readFirst(
  db: Db,
  parts: readonly Candidates[],
  max: number,
  request: PageRequest,
): Promise<Found | null> {
  for (const part of parts) {
    const found = await readCandidates(db, part, max, request);
    if (found !== null) return found;
  }
  return null;
}

function readRanges(db: Db, ranges: readonly [Range, ...Range[]], request: PageRequest): Promise<ShipmentRow[]> {
  const { filter, order, limit } = request;
  const [range] = ranges;
  const wanted = request.isDetailed ? DETAILED : SHIPMENT;
  // The lists that are read most, of which there are few.
  return order.by === 'updated' && stateRanges(filter) === null
    ? hotRows(db, wanted, (list) => range(list, Prisma.sql`${limit}`))
    : rowsByIndexOnce(db, wanted, (list) => pageOfRanges(ranges, request, list));
}

const CANDIDATE = columns({ ...DETAILED.columns, isTooMany: column<boolean>('z.is_too_many') });

/** @returns null if there are too many candidates. */
async function readCandidates(
  db: Db,
  candidates: Candidates,
  max: number,
  request: PageRequest,
): Promise<Found | null> {
  const found = await rowsByIndexOnce(db, CANDIDATE, (list) => pageOfCandidates(candidates, max, request, list));
  if (found[0]?.isTooMany) return null;
  return { rows: found.filter(({ id }) => id !== null), end: null };
}

const WALKED = columns({ ...DETAILED.columns, isEnd: column<boolean>('p.is_end') });

async function readWalk(db: Db, range: Range, depth: number, request: PageRequest): Promise<Found> {
  const found = await rowsByIndexOnce(db, WALKED, (list) => pageOfWalk(range, depth, request, list));
  return { rows: found.filter(({ isEnd }) => !isEnd), end: found.find(({ isEnd }) => isEnd) ?? null };
}

/** More are not counted. */
const MAX_COUNTED = 10_000;
/** If this share of the newest rows matches, matches are too many to find all of them. */
const FREQUENT = 0.05;

/** How many parcels match; `isLowerBound` if there are, or may be, more. */
export type ShipmentCount = { total: number; isLowerBound: boolean };

/** Counts the parcels of a list as far as that is cheap. */
export async function countShipments(db: Db, filter: ShipmentFilter, bounds = BOUNDS): Promise<ShipmentCount> {
  const { ids } = filter;
  if (ids !== undefined)
    return (await countCandidates(db, candidatesByIds(ids), ids.length, filter)) ?? { total: 0, isLowerBound: false };
  const byUpdate = rangesOf({ filter, order: NEWEST_CHANGE_FIRST });
  const whole = [byUpdate, rangesOf({ filter, order: NEWEST_REGISTRATION_FIRST })].find(({ isWhole }) => isWhole);
  if (whole !== undefined) return countRanges(db, whole.ranges);
  const [range] = byUpdate.ranges;
  const { near, candidates, far, texts } = bounds;
  const first = await countWalk(db, range, near, filter);
  if (!first.isLowerBound) return first;
  const isFrequent = first.total >= FREQUENT * near;
  const parts = isFrequent ? [] : candidatesOf(filter, fixed(candidates + 1), fixed(texts));
  for (const part of parts) {
    const found = await countCandidates(db, part, candidates, filter);
    if (found !== null) return found;
  }
  return countWalk(db, range, far, filter);
}

const RANGE_COUNT = columns({ count: column<number>('count(*)::int') });

async function countRanges(db: Db, ranges: readonly Range[]): Promise<ShipmentCount> {
  const limit = fixed(MAX_COUNTED + 1);
  const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`1`, limit)})`);
  const [found] = await rowsByIndexOnce(
    db,
    RANGE_COUNT,
    (list) => Prisma.sql`SELECT ${list} FROM (SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) a LIMIT ${limit}) c`,
  );
  return upTo(found?.count ?? 0);
}

const CANDIDATE_COUNT = columns({ count: column<number>('p.count'), isTooMany: column<boolean>('z.is_too_many') });

/** @returns null if there are too many candidates. */
async function countCandidates(
  db: Db,
  candidates: Candidates,
  max: number,
  filter: ShipmentFilter,
): Promise<ShipmentCount | null> {
  const [found] = await rowsByIndexOnce(db, CANDIDATE_COUNT, (list) =>
    countOfCandidates(candidates, max, filter, list),
  );
  return found === undefined || found.isTooMany ? null : upTo(found.count);
}

const WALK_COUNT = columns({
  fitting: column<number>('(count(*) FILTER (WHERE w.fits))::int'),
  walked: column<number>('count(*)::int'),
});

async function countWalk(db: Db, range: Range, depth: number, filter: ShipmentFilter): Promise<ShipmentCount> {
  const [found] = await rowsByIndexOnce(db, WALK_COUNT, (list) => countOfWalk(range, depth, filter, list));
  const { fitting = 0, walked = 0 } = found ?? {};
  const counted = upTo(fitting);
  return { ...counted, isLowerBound: counted.isLowerBound || walked === depth };
}

function upTo(count: number): ShipmentCount {
  return { total: Math.min(count, MAX_COUNTED), isLowerBound: count > MAX_COUNTED };
}

/** The most parcels that are counted for one reason. */
const MAX_COUNTED_OF_REASON = 1000;

const COUNTED = columns({ reason: column<AttentionReason>('c.reason'), count: column<number>('c.count') });

/** How many parcels of an account need attention, by reason: at most `MAX_COUNTED_OF_REASON` of each. */
export async function countAttention(
  db: Db,
  accountId: string,
  moment: AttentionMoment,
): Promise<Map<AttentionReason, number>> {
  const limit = fixed(MAX_COUNTED_OF_REASON);
  const counts = ATTENTION_REASONS.map((reason) => {
    const filter = { accountId, attention: { reasons: [reason], ...moment } };
    const { ranges } = rangesOf({ filter, order: NEWEST_CHANGE_FIRST });
    const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`1`, limit)})`);
    return Prisma.sql`
      SELECT ${reason}::text AS reason, count(*)::int AS count
      FROM (SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) a LIMIT ${limit}) b`;
  });
  const counted = await rowsByIndexOnce(
    db,
    COUNTED,
    (list) => Prisma.sql`SELECT ${list} FROM (${Prisma.join(counts, ' UNION ALL ')}) c`,
  );
  return new Map(counted.map(({ reason, count }) => [reason, count]));
}

const DAY_MS = 86_400_000;
const NO_CONDITION = Prisma.sql`true`;

/** A list, its order and where its page starts. */
type PageRequest = {
  filter: ShipmentFilter;
  order: ShipmentOrder;
  after?: ShipmentCursor | undefined;
  limit: number;
  /** Whether the rows have what only optional fields show. */
  isDetailed?: boolean;
};

/** All of them, as one condition. */
function allOf(conditions: readonly Prisma.Sql[]): Prisma.Sql {
  return conditions.length === 0 ? NO_CONDITION : Prisma.join([...conditions], ' AND ');
}

/** The conditions on a row `t` of `trackings` that an index of the state can find. */
function stateConditions({ status, subStatus, updated = {} }: ShipmentFilter): Prisma.Sql[] {
  return [
    ...(status === undefined ? [] : [Prisma.sql`t.status = ${status}`]),
    ...(subStatus === undefined ? [] : [Prisma.sql`t.sub_status = ${subStatus}`]),
    ...(updated.from === undefined ? [] : [Prisma.sql`t.updated_at >= ${instant(updated.from)}`]),
    ...(updated.until === undefined ? [] : [Prisma.sql`t.updated_at < ${instant(updated.until)}`]),
  ];
}

/** The whole filter, apart from the account and the ids. */
function conditionsOf(filter: ShipmentFilter): Prisma.Sql[] {
  const { subStatuses, carrier, texts, attention, created = {} } = filter;
  return [
    ...stateConditions(filter),
    ...(subStatuses === undefined ? [] : [isOneOf(subStatuses)]),
    ...(carrier === undefined ? [] : [Prisma.sql`t.carrier = ${carrier}`]),
    ...(texts === undefined
      ? []
      : [containsOne(Prisma.sql`public.search_text(t.tracking_number, t.order_id, t.title)`, texts)]),
    ...referenceConditions('t', filter),
    ...(attention === undefined ? [] : [Prisma.sql`(${Prisma.join(attentionConditions(attention), ' OR ')})`]),
    ...createdConditions('t.id', created),
  ];
}

/** An id begins with the second of the registration, so no other index is needed. */
function createdConditions(idColumn: string, { from, until }: TimeRange): Prisma.Sql[] {
  const id = Prisma.raw(idColumn);
  return [
    ...(from === undefined ? [] : [Prisma.sql`${id} >= ${lowestId(from)}`]),
    ...(until === undefined ? [] : [Prisma.sql`${id} < ${lowestId(until)}`]),
  ];
}

/** The order and the metadata in a row of `trackings` or `tracking_search`. */
function referenceConditions(row: 't' | 's', { orderIds, metadata }: ShipmentFilter): Prisma.Sql[] {
  const of = Prisma.raw(row);
  return [
    ...(orderIds === undefined ? [] : [Prisma.sql`${of}.order_id = ANY(${[...orderIds]}::text[])`]),
    ...(metadata === undefined ? [] : [Prisma.sql`${of}.metadata @> ${JSON.stringify(metadata)}::jsonb`]),
  ];
}

/** Whether one of the texts is part of a searched text. */
function containsOne(searched: Prisma.Sql, texts: readonly string[]): Prisma.Sql {
  return Prisma.sql`(${Prisma.join(
    texts.map((text) => Prisma.sql`strpos(${searched}, lower(${text})) > 0`),
    ' OR ',
  )})`;
}

/**
 * One condition for each state of a filter with several, as each is a range of an index; null if the filter has none,
 * or one.
 */
function stateRanges({ subStatuses, attention }: ShipmentFilter): readonly Prisma.Sql[] | null {
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

/** One for each state or day for which a parcel needs attention for one of the reasons: each is a range of an index. */
function attentionConditions({ reasons, ...moment }: NonNullable<ShipmentFilter['attention']>): Prisma.Sql[] {
  return reasons.flatMap((reason) => ATTENTION_RULES[reason].flatMap((each) => attentionRanges(each, moment)));
}

/**
 * Whether a row `t` of `trackings` needs attention by a condition: one for each range of an index.
 * @param since only if that began at this time or later.
 */
export function attentionRanges(condition: AttentionCondition, moment: AttentionMoment, since?: Date): Prisma.Sql[] {
  const { now, days } = moment;
  if (condition.lateDays !== undefined)
    return lateDates(condition.lateDays, now)
      .filter((day) => since === undefined || endOfDay(day) >= since)
      .map((day) => isLate(condition, day, moment));
  const from = since && new Date(since.getTime() - waitMs(condition, days));
  return [
    allOf([attentionCondition(condition, moment), ...(from ? [Prisma.sql`t.updated_at >= ${instant(from)}`] : [])]),
  ];
}

/** In the words of the indexes that have it: with the values of the table, not with parameters. */
function attentionCondition(condition: AttentionCondition, { now, days }: AttentionMoment): Prisma.Sql {
  const { states, problem, isPolled, recentDays, isUndecided } = condition;
  const before = (ms: number) => instant(new Date(now.getTime() - ms));
  const wait = waitMs(condition, days);
  return allOf([
    isPolled ? isQuiet(isUndecided ? ['undecided'] : states) : isOneOf(states),
    ...(wait === 0 ? [] : [Prisma.sql`t.updated_at <= ${before(wait)}`]),
    ...(problem === undefined ? [] : [Prisma.sql`t.annotations ->> 'problem' = ${literal(problem)}`]),
    ...(recentDays === undefined ? [] : [Prisma.sql`t.updated_at >= ${before(recentDays * DAY_MS)}`]),
  ]);
}

/** Whether a polled parcel in one of the states, with recent news, was expected by this day. */
function isLate({ states, isFreshAs }: AttentionCondition, day: string, { now, days }: AttentionMoment): Prisma.Sql {
  const quietSince = new Date(now.getTime() - (isFreshAs === undefined ? 0 : days[isFreshAs]) * DAY_MS);
  return Prisma.sql`t.stopped_at IS NULL AND ${isOneOf(states)} AND t.annotations #>> '{estimate,to}' IS NOT NULL
    AND "left"(t.annotations #>> '{estimate,to}', 10) = ${literal(day)} AND t.updated_at > ${instant(quietSince)}`;
}

/**
 * Whether a polled parcel waits for one of these: news of its state, or one of its possible carriers to know it. The
 * states are those of the index; the one that is wanted would lead to the index of all parcels in it, stopped ones
 * included.
 */
function isQuiet(waitsFor: readonly string[]): Prisma.Sql {
  return Prisma.sql`t.stopped_at IS NULL AND t.sub_status IN ('pending', 'info_received', 'in_transit', 'out_for_delivery')
    AND CASE WHEN t.sub_status = 'pending' AND t.candidates IS NOT NULL AND t.detected THEN 'undecided' ELSE t.sub_status END
      IN (${Prisma.join(waitsFor.map(literal))})`;
}

const literal = (text: string) => Prisma.raw(`'${text}'`);

/** The rows after a cursor, in an order, as a row comparison: there, the range of the index starts. */
function afterCursor(
  { by, isAscending }: ShipmentOrder,
  { updatedAt, id }: ShipmentCursor,
  idColumn = 't.id',
): Prisma.Sql {
  const is = Prisma.raw(isAscending ? '>' : '<');
  return by === 'created'
    ? Prisma.sql`${Prisma.raw(idColumn)} ${is} ${id}`
    : Prisma.sql`(t.updated_at, t.id) ${is} (${instant(updatedAt)}, ${id})`;
}

/**
 * A statement: the first rows of one range of an index, in its order. The list is of a row of `trackings` named `t`.
 */
export type Range = (list: Prisma.Sql, limit: Prisma.Sql) => Prisma.Sql;

/** The ranges that have all rows of a list, in its order, and whether all of their rows belong to it. */
type Ranges = { ranges: readonly [Range, ...Range[]]; isWhole: boolean };

/** The range, or the ranges, that a list in this order reads from a cursor on. */
export function rangesOf(request: Omit<PageRequest, 'limit'>): Ranges {
  return request.order.by === 'updated' ? byUpdate(request) : byRegistration(request);
}

function byUpdate({ filter, order, after }: Omit<PageRequest, 'limit'>): Ranges {
  const { accountId, status, subStatus, texts, orderIds, metadata, carrier, created } = filter;
  const start = after === undefined ? [] : [afterCursor(order, after)];
  const range =
    (condition: readonly Prisma.Sql[]): Range =>
    (list, limit) =>
      Prisma.sql`
      SELECT ${list} FROM public.trackings t
      WHERE t.account_id = ${accountId} AND ${allOf([...condition, ...stateConditions(filter), ...start])}
      ORDER BY ${orderBy(order)} LIMIT ${limit}`;
  const hasOthers = isAnyGiven(texts, orderIds, metadata, carrier, created);
  const states = stateRanges(filter);
  if (states === null || hasOthers || isAnyGiven(status, subStatus))
    return { ranges: [range([])], isWhole: !hasOthers && states === null };
  const [first, ...others] = states.map((condition) => range([condition]));
  return { ranges: [first ?? range([Prisma.sql`false`]), ...others], isWhole: true };
}

/** Ids begin with the time of the registration. */
function byRegistration({ filter, order, after }: Omit<PageRequest, 'limit'>): Ranges {
  const { accountId, status, subStatus, subStatuses, attention, texts, orderIds, metadata, updated, carrier } = filter;
  const start = after === undefined ? [] : [afterCursor(order, after, 's.tracking_id')];
  const range: Range = (list, limit) => Prisma.sql`
    SELECT ${list} FROM public.tracking_search s
    JOIN LATERAL (SELECT * FROM public.trackings WHERE id = s.tracking_id AND account_id = s.account_id OFFSET 0) t ON true
    WHERE s.account_id = ${accountId} AND ${allOf([...searchConditions(filter), ...start])}
    ORDER BY ${searchOrder(order, carrier)} LIMIT ${limit}`;
  return {
    ranges: [range],
    isWhole: !isAnyGiven(status, subStatus, subStatuses, attention, texts, orderIds, metadata, updated),
  };
}

/** The conditions on a row `s` of `tracking_search` that its keys can find in an account. */
function searchConditions({ carrier, created = {} }: ShipmentFilter): Prisma.Sql[] {
  return [
    // Not as an equation: then the parcels of all carriers are in the wanted order, too, and might be read instead.
    ...(carrier === undefined ? [] : [Prisma.sql`s.carrier BETWEEN ${carrier} AND ${carrier}`]),
    ...createdConditions('s.tracking_id', created),
  ];
}

/** The order of the index that has the conditions. */
function searchOrder({ isAscending }: Pick<ShipmentOrder, 'isAscending'>, carrier: string | undefined): Prisma.Sql {
  const direction = isAscending ? 'ASC' : 'DESC';
  const ofCarrier = carrier === undefined ? '' : `s.carrier ${direction}, `;
  return Prisma.raw(`${ofCarrier}s.tracking_id ${direction}`);
}

function orderBy({ by, isAscending }: ShipmentOrder): Prisma.Sql {
  const direction = isAscending ? 'ASC' : 'DESC';
  return Prisma.raw(by === 'created' ? `t.id ${direction}` : `t.updated_at ${direction}, t.id ${direction}`);
}

function isAnyGiven(...parts: unknown[]): boolean {
  return parts.some((part) => part !== undefined);
}

/**
 * A statement that selects `id`, in no order, and whether the parcel `fits` this part of the filter; and whether those
 * that fit are all that the whole filter matches.
 */
type Candidates = { statement: Prisma.Sql; isWhole: boolean };

/**
 * Statements for all parcels that a part of the filter matches: by what does not change with the state, and by the
 * state, where the filter says something about it. The rest of the filter is not considered.
 * @param limit of their rows.
 * @param read rows of which a search compares the text. Of those behind them, all are candidates: soon there are too
 *   many.
 */
function candidatesOf(filter: ShipmentFilter, limit: Prisma.Sql, read: Prisma.Sql): Candidates[] {
  const [search, state] = [bySearch(filter, limit, read), byState(filter, limit)];
  return [
    ...(search === null ? [] : [{ statement: search, isWhole: state === null }]),
    // A state is not all that a filter by attention says about it.
    ...(state === null ? [] : [{ statement: state, isWhole: false }]),
  ];
}

function bySearch(filter: ShipmentFilter, limit: Prisma.Sql, read: Prisma.Sql): Prisma.Sql | null {
  const { accountId, texts, orderIds, metadata, carrier, created } = filter;
  if (!isAnyGiven(texts, orderIds, metadata, carrier, created)) return null;
  const conditions = allOf([...searchConditions(filter), ...referenceConditions('s', filter)]);
  if (!isAnyGiven(texts, orderIds, metadata))
    return Prisma.sql`
      SELECT s.tracking_id AS id, true AS fits FROM public.tracking_search s WHERE s.account_id = ${accountId} AND ${conditions}
      ORDER BY ${searchOrder({ isAscending: false }, carrier)} LIMIT ${limit}`;
  const grams = [
    ...(texts === undefined
      ? []
      : [
          Prisma.sql`(${Prisma.join(
            texts.map((text) => Prisma.sql`${INDEXED} @> ${gramsOf(accountId, text)}`),
            ' OR ',
          )})`,
        ]),
    ...refsOf(accountId, filter),
  ];
  const ofTexts = texts === undefined ? [] : [containsOne(Prisma.sql`s.text`, texts)];
  const fits = allOf([Prisma.sql`s.account_id = ${accountId}`, conditions, ...ofTexts]);
  // They are found by their grams alone, never by reading all parcels of the account. Other texts may have the same.
  return Prisma.sql`
    SELECT c.tracking_id AS id, c.fits FROM (
      SELECT s.tracking_id, ${fits} AS fits, row_number() OVER () AS n
      FROM (SELECT * FROM public.tracking_search f WHERE ${allOf(grams)} OFFSET 0) s
    ) c WHERE c.fits OR c.n > ${read} LIMIT ${limit}`;
}

/** The expression of the index `tracking_search_grams_idx`. */
const INDEXED = Prisma.sql`(public.search_grams(f.account_id, f.text) || public.search_refs(f.account_id, f.order_id, f.metadata))`;

/** The entries of the index that must be there: one of the orders, and all of the metadata. */
function refsOf(accountId: string, { orderIds, metadata }: ShipmentFilter): Prisma.Sql[] {
  const order = (id: Prisma.Sql) => Prisma.sql`public.search_refs(${accountId}, ${id}, NULL)`;
  return [
    ...(orderIds === undefined
      ? []
      : [
          Prisma.sql`${INDEXED} && (SELECT array_agg(r) FROM unnest(${[...orderIds]}::text[]) o, unnest(${order(Prisma.sql`o`)}) r)`,
        ]),
    ...(metadata === undefined
      ? []
      : [Prisma.sql`${INDEXED} @> public.search_refs(${accountId}, NULL, ${JSON.stringify(metadata)}::jsonb)`]),
  ];
}

/**
 * The grams by which a text is found: as many as its characters need, and at most eleven, since each costs a pass
 * through the parcels that have it.
 */
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
function candidatesByIds(ids: readonly string[]): Candidates {
  return { statement: Prisma.sql`SELECT unnest(${[...ids]}::text[]) AS id, true AS fits`, isWhole: false };
}

/**
 * A limit as part of the statement's text: where any limit is possible, a plan expects a tenth of the table, and would
 * read and sort it.
 */
const fixed = (limit: number) => Prisma.raw(String(limit));

/** The first rows of several ranges together, in their order. */
function pageOfRanges(ranges: readonly Range[], { order, limit }: PageRequest, list: Prisma.Sql): Prisma.Sql {
  const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`t.*`, fixed(limit))})`);
  return Prisma.sql`
    SELECT ${list} FROM (${Prisma.join(parts, ' UNION ALL ')}) t ORDER BY ${orderBy(order)} LIMIT ${fixed(limit)}`;
}

/**
 * The candidates that match, in their order; the list may contain `z.is_too_many`. There is always a row: without
 * parcels if no candidate matches, or if there are more than `max`.
 */
function pageOfCandidates(
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
function countOfCandidates(candidates: Candidates, max: number, filter: ShipmentFilter, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    ${withCandidates(candidates, max)}
    SELECT ${list} FROM size z LEFT JOIN LATERAL (
      SELECT count(*)::int AS count
      FROM ${candidates.isWhole ? Prisma.sql`candidate c` : parcels(filter)}
      WHERE ${allOf([NOT_TOO_MANY, fitting(candidates, filter)])}
    ) p ON true`;
}

/** Whether a candidate `c` matches, or its parcel `t` if the candidates are not the whole list. */
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
 * Reads at most `depth` rows of a range, and returns those that match: at most `limit`. If there are fewer, a last row
 * with `p.is_end` says where the reading has stopped; without it, the range has no more rows.
 */
function pageOfWalk(range: Range, depth: number, request: PageRequest, list: Prisma.Sql): Prisma.Sql {
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

/** Selects from the first `depth` rows of a range, each a row `w` with whether it `fits`. */
function countOfWalk(range: Range, depth: number, filter: ShipmentFilter, list: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`SELECT ${list} FROM (${walk(range, depth, filter)}) w`;
}

function walk(range: Range, depth: number, filter: ShipmentFilter): Prisma.Sql {
  return range(Prisma.sql`t.id, (${matching(filter)}) AS fits`, fixed(depth));
}

function matching(filter: ShipmentFilter): Prisma.Sql {
  return allOf([Prisma.sql`t.account_id = ${filter.accountId}`, ...conditionsOf(filter)]);
}
