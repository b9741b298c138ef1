import { countryOf, type EstimateSource } from './estimates.ts';
import { type Message, message } from './languages/message.ts';
import { parseInstant } from './time.ts';

export const INTERVALS = ['hour', 'day'] as const;
export type Interval = (typeof INTERVALS)[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
const FIRST_MONDAY_MS = Date.UTC(1970, 0, 5);
const LENGTH_MS = { hour: HOUR_MS, day: DAY_MS } as const satisfies Record<Interval, number>;

/** Without `from`, statistics are of this many days. */
export const DEFAULT_DAYS = 7;
/** The maximum length of a range, in days. */
export const MAX_DAYS = { hour: 8, day: 92 } as const satisfies Record<Interval, number>;
/** For how long the counts of an interval are kept, in days. */
export const KEPT_DAYS = { hour: 35, day: 400 } as const satisfies Record<Interval, number>;

/** Whole intervals in UTC: `from` is the start of the first, `to` the end of the last. */
export type StatsRange = { from: Date; to: Date; interval: Interval };
type StatsRangeFault = { field: 'from' | 'to'; message: Message };

type Input = { from?: string | undefined; to?: string | undefined; interval?: Interval | undefined };

/**
 * The range of a request, widened to whole intervals, or what is wrong with it. It ends with the current interval at
 * the latest.
 */
export function statsRange({ interval = 'day', ...input }: Input, now: Date): StatsRange | StatsRangeFault {
  const until = input.to === undefined ? now : parseInstant(input.to);
  if (until === null) return { field: 'to', message: message('field.instant') };
  const length = LENGTH_MS[interval];
  const to = new Date(Math.ceil(Math.min(until.getTime(), now.getTime()) / length) * length);
  const since = input.from === undefined ? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS) : parseInstant(input.from);
  if (since === null) return { field: 'from', message: message('field.instant') };
  const from = new Date(startOf(since, interval));
  if (from >= to) return { field: 'from', message: message('field.before', { end: 'to' }) };
  const [max, kept] = [MAX_DAYS[interval], KEPT_DAYS[interval]];
  if (to.getTime() - from.getTime() > max * DAY_MS)
    return { field: 'from', message: message('field.max_days_before', { max, interval }) };
  if (from.getTime() < startOf(now, interval) - kept * DAY_MS)
    return input.from === undefined
      ? { field: 'to', message: message('field.max_days_ago_without_from', { days: kept - DEFAULT_DAYS, interval }) }
      : { field: 'from', message: message('field.max_days_ago', { days: kept, interval }) };
  return { from, to, interval };
}

/** The starts of the intervals of a range. */
export function intervalsOf({ from, to, interval }: StatsRange): Date[] {
  const length = LENGTH_MS[interval];
  const count = (to.getTime() - from.getTime()) / length;
  return Array.from({ length: count }, (_, n) => new Date(from.getTime() + n * length));
}

/** The starts of the last hours, the current one included; oldest first. */
export function lastHours(count: number, now: Date): Date[] {
  const current = startOf(now, 'hour');
  return Array.from({ length: count }, (_, n) => new Date(current - (count - 1 - n) * HOUR_MS));
}

function startOf(time: Date, interval: Interval): number {
  return Math.floor(time.getTime() / LENGTH_MS[interval]) * LENGTH_MS[interval];
}

/**
 * The whole weeks, from Monday, within the days of a range, and the days before and after them: from each first to
 * before the second.
 */
type Weeks = { weeks: [Date, Date]; days: [[Date, Date], [Date, Date]] };

/** Divides the days (UTC) that a range touches into whole weeks and the days at its ends. */
export function weeksOf({ from, to }: Pick<StatsRange, 'from' | 'to'>): Weeks {
  const first = Math.floor(from.getTime() / DAY_MS) * DAY_MS;
  const last = Math.ceil(to.getTime() / DAY_MS) * DAY_MS;
  const begin = Math.ceil((first - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS;
  const end = Math.max(begin, Math.floor((last - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS);
  const between = (a: number, b: number): [Date, Date] => [new Date(a), new Date(b)];
  if (begin >= last) return { weeks: between(last, last), days: [between(first, last), between(last, last)] };
  return { weeks: between(begin, end), days: [between(first, begin), between(end, last)] };
}

/** How many values are in each bucket, by its upper bound. A bound may appear several times. */
export type Histogram = readonly { upTo: number; count: number }[];

/**
 * The value that a share of all values does not exceed: the upper bound of its bucket, so it is never too low.
 * @returns null without values.
 */
export function percentile(histogram: Histogram, share: number): number | null {
  const target = share * histogram.reduce((sum, { count }) => sum + count, 0);
  if (target <= 0) return null;
  let passed = 0;
  for (const { upTo, count } of histogram.toSorted((a, b) => a.upTo - b.upTo)) {
    passed += count;
    if (passed >= target) return upTo;
  }
  return null;
}

/**
 * The upper bound of a bucket of lags, in milliseconds. Bounds are 19 % apart (`pushes` in `packages/db/src/stats.ts`).
 */
export function lagUpTo(bucket: number): number {
  return Math.round(2 ** (bucket / 4));
}

/** A delivered parcel, as it counts in the transit times of its account. `*` is a place that is not known. */
export type Transit = {
  carrier: string;
  origin: string;
  destination: string;
  /** From its first movement to its delivery: the upper bound of a bucket. */
  hours: number;
  /** Its first estimate, and whether it arrived by then; null if it had none. */
  promise: { source: EstimateSource; isKept: boolean } | null;
};

/** Buckets of transit times: their width in hours, and up to which time. */
const WIDTHS = [
  { upTo: 72, hours: 6 },
  { upTo: 240, hours: 12 },
  { upTo: Number.POSITIVE_INFINITY, hours: 24 },
];

/** The upper bound of the bucket of a transit time. */
export function transitBucket(hours: number): number {
  const width = WIDTHS.find(({ upTo }) => hours <= upTo)?.hours ?? 24;
  return Math.ceil(hours / width) * width;
}

/** The lane of a way between two regions (`CN-GD`): between countries, only these count. */
export function laneOf(origin: string | null, destination: string | null): Pick<Transit, 'origin' | 'destination'> {
  if (origin === null || destination === null) return { origin: '*', destination: '*' };
  const [from, to] = [countryOf(origin), countryOf(destination)];
  return from === to ? { origin, destination } : { origin: from, destination: to };
}
