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
import { type Status, SUB_STATUSES, type SubStatus, statusesOf } from '@pts/core/tracking/status';
import {
  column,
  columns,
  columnsOf,
  type Db,
  hotRows,
  instant,
  type RowOf,
  rowsByIndex,
  rowsByIndexOnce,
} from './connection.ts';
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
  /** Only parcels of which the status or the sub-status is one of these. */
  states?: readonly (Status | SubStatus)[] | undefined;
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
  const { range, isWhole } = rangeOf(request);
  if (isWhole) return { rows: await readRange(db, range, request), end: null };
  const first = await readWalk(db, range, near, request);
  if (first.end === null) return first;
  // At this rate, the page will be filled to this share. To read and sort all matches, of which there are many, takes
  // longer.
  const isFrequent = first.rows.length * far >= MIN_FILLED * request.limit * near;
  const parts = isFrequent ? [] : candidatesOf(filter, fixed(candidates + 1), fixed(texts));
  return (await readFirst(db, parts, candidates, request)) ?? readWalk(db, range, far, request);
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

function readRange(db: Db, range: Range, request: PageRequest): Promise<ShipmentRow[]> {
  const { filter, order, limit, isDetailed } = request;
  const wanted = isDetailed ? DETAILED : SHIPMENT;
  if (order.by === 'created' || filter.attention !== undefined)
    return rowsByIndexOnce(db, wanted, (list) => range(list, fixed(limit)));
  // The lists that are read most, of which there are few: connections keep their plans.
  const read = filter.states === undefined ? hotRows : rowsByIndex;
  return read(db, wanted, (list) => range(list, Prisma.sql`${limit}`));
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
  const list = rangeOf({ filter, order: NEWEST_CHANGE_FIRST });
  const whole = [list, rangeOf({ filter, order: NEWEST_REGISTRATION_FIRST })].find(({ isWhole }) => isWhole);
  if (whole !== undefined) return countRange(db, keysOf(filter) ?? whole.range);
  const { range } = list;
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

async function countRange(db: Db, range: Range): Promise<ShipmentCount> {
  const counted = range(Prisma.sql`1`, fixed(MAX_COUNTED + 1));
  const [found] = await rowsByIndexOnce(db, RANGE_COUNT, (list) => Prisma.sql`SELECT ${list} FROM (${counted}) c`);
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
    const { range } = rangeOf({ filter, order: NEWEST_CHANGE_FIRST });
    return Prisma.sql`
      SELECT ${reason}::text AS reason, count(*)::int AS count FROM (${range(Prisma.sql`1`, limit)}) b`;
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

/** The times of the last news of a row `t` of `trackings`, by which its ranges are in order. */
function updatedConditions({ updated = {} }: ShipmentFilter): Prisma.Sql[] {
  return [
    ...(updated.from === undefined ? [] : [Prisma.sql`t.updated_at >= ${instant(updated.from)}`]),
    ...(updated.until === undefined ? [] : [Prisma.sql`t.updated_at < ${instant(updated.until)}`]),
  ];
}

/** The whole filter, apart from the account and the ids. */
function conditionsOf(filter: ShipmentFilter): Prisma.Sql[] {
  const { states, carrier, texts, attention, created = {} } = filter;
  return [
    ...updatedConditions(filter),
    ...(states === undefined
      ? []
      : [Prisma.sql`(t.status = ANY(${[...states]}) OR t.sub_status = ANY(${[...states]}))`]),
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
 * The polling of a row `t` of `trackings` in the words of `trackings_state_idx`: `stopped` by the merchant, `undecided`
 * while its carrier is sought, or else nothing. The index has the parcels of each status, sub-status and polling in the
 * order of their last news.
 */
const POLLING = `CASE WHEN t.stopped_at IS NOT NULL THEN 'stopped'
  WHEN t.sub_status = 'pending' AND t.candidates IS NOT NULL AND t.detected THEN 'undecided' ELSE '' END`;

/** Every state that a parcel can be in; `range` is the condition of its range of the index. */
const STATES = SUB_STATUSES.flatMap((subStatus) =>
  statusesOf(subStatus).flatMap((status) =>
    ['', 'stopped', ...(subStatus === 'pending' ? ['undecided'] : [])].map((polling) => ({
      ...{ status, subStatus, polling },
      range: Prisma.raw(`t.status = '${status}' AND t.sub_status = '${subStatus}' AND ${POLLING} = '${polling}'`),
    })),
  ),
);

type State = (typeof STATES)[number];

function rangesOfStates(is: (state: State) => boolean): Prisma.Sql[] {
  return STATES.filter(is).map(({ range }) => range);
}

function isByState({ states, attention }: ShipmentFilter): boolean {
  return isAnyGiven(states, attention);
}

function isIn(states: readonly (Status | SubStatus)[]) {
  return ({ status, subStatus }: State) => states.includes(status) || states.includes(subStatus);
}

/** The keys of the parcels in the states of a filter, in no order; null if keys alone do not say whether they match. */
function keysOf({ accountId, states, attention, updated }: ShipmentFilter): Range | null {
  if (states === undefined || isAnyGiven(attention, updated)) return null;
  const found = STATES.filter(isIn(states));
  const [statuses, subStatuses] = [found.map(({ status }) => status), found.map(({ subStatus }) => subStatus)];
  return (list, limit) => Prisma.sql`
    SELECT ${list} FROM public.trackings t WHERE t.account_id = ${accountId} AND t.status = ANY(${statuses})
      AND t.sub_status = ANY(${subStatuses}) AND ${allOf(conditionsOf({ accountId, states }))} LIMIT ${limit}`;
}

/** The conditions of the ranges of indexes that have all parcels in the states of a filter, each once. */
function stateRanges({ states, attention }: ShipmentFilter): readonly Prisma.Sql[] {
  if (attention !== undefined) return attentionConditions(attention);
  if (states === undefined) return [NO_CONDITION];
  return rangesOfStates(isIn(states));
}

/** In the words of the indexes that have it: with the values of the table, not with parameters. */
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
  const { states, problem, recentDays, isPolled = false, isUndecided } = condition;
  const wait = waitMs(condition, days);
  const before = (ms: number, time = now) => instant(new Date(time.getTime() - ms));
  const times = [
    ...(wait === 0 ? [] : [Prisma.sql`t.updated_at <= ${before(wait)}`]),
    ...(recentDays === undefined ? [] : [Prisma.sql`t.updated_at >= ${before(recentDays * DAY_MS)}`]),
    ...(since === undefined ? [] : [Prisma.sql`t.updated_at >= ${before(wait, since)}`]),
  ];
  const fits = ({ subStatus, polling }: State) =>
    states.includes(subStatus) &&
    !(isPolled && polling === 'stopped') &&
    (isUndecided === undefined || isUndecided === (polling === 'undecided'));
  const ranges =
    problem === undefined
      ? rangesOfStates(fits)
      : [Prisma.sql`${isOneOf(states)} AND t.annotations ->> 'problem' = ${literal(problem)}`];
  return ranges.map((range) => allOf([range, ...times]));
}

/** Whether a polled parcel in one of the states, with recent news, was expected by this day. */
function isLate({ states, isFreshAs }: AttentionCondition, day: string, { now, days }: AttentionMoment): Prisma.Sql {
  const quietSince = new Date(now.getTime() - (isFreshAs === undefined ? 0 : days[isFreshAs]) * DAY_MS);
  return Prisma.sql`t.stopped_at IS NULL AND ${isOneOf(states)} AND t.annotations #>> '{estimate,to}' IS NOT NULL
    AND "left"(t.annotations #>> '{estimate,to}', 10) = ${literal(day)} AND t.updated_at > ${instant(quietSince)}`;
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

/** The rows of a list, in its order, perhaps among others, and whether there are no others. */
type ListRange = { range: Range; isWhole: boolean };

/** The range that a list in this order reads, from a cursor on. */
export function rangeOf(request: Omit<PageRequest, 'limit'>): ListRange {
  return request.order.by === 'updated' ? byUpdate(request) : byRegistration(request);
}

function byUpdate({ filter, order, after }: Omit<PageRequest, 'limit'>): ListRange {
  const { accountId, states, attention, texts, orderIds, metadata, carrier, created } = filter;
  const start = after === undefined ? [] : [afterCursor(order, after)];
  const ranges = stateRanges(filter).map(
    (state): Range =>
      (list, limit) =>
        Prisma.sql`
      SELECT ${list} FROM public.trackings t
      WHERE t.account_id = ${accountId} AND ${allOf([state, ...updatedConditions(filter), ...start])}
      ORDER BY ${orderBy(order)} LIMIT ${limit}`,
  );
  const isBoth = states !== undefined && attention !== undefined;
  return { range: merged(ranges, order), isWhole: !isBoth && !isAnyGiven(texts, orderIds, metadata, carrier, created) };
}

/** Several ranges as one. It is read as far as its rows are wanted, and no range further than they need. */
function merged(ranges: readonly Range[], order: ShipmentOrder): Range {
  const [only] = ranges;
  if (only !== undefined && ranges.length === 1) return only;
  return (list, limit) => {
    const parts = ranges.map((range) => Prisma.sql`(${range(Prisma.sql`t.*`, limit)})`);
    return Prisma.sql`
      SELECT ${list} FROM (${Prisma.join(parts, ' UNION ALL ')}) t ORDER BY ${orderBy(order)} LIMIT ${limit}`;
  };
}

/** Ids begin with the time of the registration. */
function byRegistration({ filter, order, after }: Omit<PageRequest, 'limit'>): ListRange {
  const { accountId, states, attention, texts, orderIds, metadata, updated, carrier } = filter;
  const start = after === undefined ? [] : [afterCursor(order, after, 's.tracking_id')];
  const range: Range = (list, limit) => Prisma.sql`
    SELECT ${list} FROM public.tracking_search s
    JOIN LATERAL (SELECT * FROM public.trackings WHERE id = s.tracking_id AND account_id = s.account_id OFFSET 0) t ON true
    WHERE s.account_id = ${accountId} AND ${allOf([...searchConditions(filter), ...start])}
    ORDER BY ${searchOrder(order, carrier)} LIMIT ${limit}`;
  return { range, isWhole: !isAnyGiven(states, attention, texts, orderIds, metadata, updated) };
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

function byState(filter: ShipmentFilter, limit: Prisma.Sql): Prisma.Sql | null {
  if (!isByState(filter) && filter.updated === undefined) return null;
  const { range } = byUpdate({ filter, order: NEWEST_CHANGE_FIRST });
  return range(Prisma.sql`t.id, true AS fits`, limit);
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
