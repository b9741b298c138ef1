import { findCarrier } from '@pts/carriers/registry/registry';
import { zoneOfPlace } from '@pts/carriers/time/place';
import { resolveTime } from '@pts/carriers/time/time';
import { refusedField } from '@pts/core/errors';
import { type DeliveryEstimate, transitHours } from '@pts/core/estimates';
import {
  type Histogram,
  type Interval,
  intervalsOf,
  lagUpTo,
  laneOf,
  percentile,
  type StatsRange,
  statsRange,
  type Transit,
  transitBucket,
} from '@pts/core/stats';
import type { TrackingEvent } from '@pts/core/tracking/scan';
import { STATUSES, type Status, type SubStatus, TRACKING_EVENT_KINDS } from '@pts/core/tracking/status';
import { readTrackingBody } from '@pts/core/webhook/push';
import {
  type Count,
  countParcels,
  type Figure,
  type IntervalCounts,
  type ParcelCounts,
  readFigures,
  type TransitCount,
  totalOf,
} from '@pts/db/stats';
import type { ServiceContext } from './context.ts';
import { firstRegion } from './estimates.ts';

type Stats = StatsRange & {
  parcels: Parcels;
  totals: Activity;
  intervals: (Activity & { start: Date })[];
  transit: Transits;
  /** False: events, pushes or parcels wait for more than a minute to be counted. */
  isUpToDate: boolean;
};

/**
 * The figures of an account: its parcels now, what happened in each interval of a range, and how long delivered parcels
 * took.
 * @throws ServiceError `invalid_field` if the range is refused.
 */
export async function readStats(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, ...input }: { accountId: string; from?: string; to?: string; interval?: Interval },
): Promise<Stats> {
  const range = statsRange(input, now());
  if ('field' in range) throw refusedField(range.field, range.message);
  const [parcels, { counts, transits, isUpToDate }] = [
    await countParcels(db, accountId),
    await readFigures(db, { accountId, ...range }),
  ];
  return {
    ...range,
    parcels: parcelsOf(parcels),
    totals: activityOf(counts.flatMap((interval) => interval.counts)),
    intervals: activitiesOf(counts, range),
    transit: transitsOf(transits),
    isUpToDate: isUpToDate && parcels.isUpToDate,
  };
}

/** The activity in an interval, or in a whole range. */
export type Activity = {
  registered: number;
  delivered: number;
  exceptions: number;
  events: number;
  pushes: {
    accepted: number;
    failed: number;
    /** Accepted attempts among all; null without attempts. */
    successShare: number | null;
    /**
     * From the stored change to the accepted push, in milliseconds, at most 19 % too high; null without first
     * deliveries.
     */
    lagP50Ms: number | null;
    lagP95Ms: number | null;
  };
};

/** Parcels with an estimate, and the share that arrived by the first one that they had; null without parcels. */
type InTime = { parcels: number; share: number | null };

/** The transit times of delivered parcels, in hours. */
export type TransitStats = {
  parcels: number;
  hoursP50: number;
  hoursP90: number;
  /** By who made the first estimate. */
  inTime: { carrier: InTime; history: InTime };
};
type LaneStats = TransitStats & { carrier: string; origin: string; destination: string };

type Parcels = {
  total: number;
  statuses: { status: Status; parcels: number }[];
  subStatuses: { subStatus: SubStatus; parcels: number }[];
  carriers: { carrier: string; parcels: number }[];
};
type Transits = { carriers: (TransitStats & { carrier: string })[]; lanes: LaneStats[] };

/** The maximum number of lanes: those with the most parcels. */
const MAX_LANES = 100;

/** The parcels of an account by status, sub-status and carrier; all statuses, of the others those with parcels. */
function parcelsOf(counts: ParcelCounts): Parcels {
  return {
    total: totalOf(counts),
    statuses: STATUSES.map((status) => ({ status, parcels: counts.statuses.get(status) ?? 0 })),
    subStatuses: mostFirst(counts.subStatuses).map(([subStatus, parcels]) => ({ subStatus, parcels })),
    carriers: mostFirst(counts.carriers).map(([carrier, parcels]) => ({ carrier, parcels })),
  };
}

/** The activity of each interval of a range. */
function activitiesOf(counted: readonly IntervalCounts[], range: StatsRange): (Activity & { start: Date })[] {
  const byStart = new Map(counted.map(({ at, counts }) => [at.getTime(), counts]));
  return intervalsOf(range).map((start) => ({ start, ...activityOf(byStart.get(start.getTime()) ?? []) }));
}

/** The activity that counts add up to. */
function activityOf(counts: readonly Count[]): Activity {
  const amounts = new Map<Figure, number>();
  for (const [figure, , amount] of counts) amounts.set(figure, (amounts.get(figure) ?? 0) + amount);
  const amount = (...figures: Figure[]) => figures.reduce((total, figure) => total + (amounts.get(figure) ?? 0), 0);
  const [accepted, failed] = [amount('accepted'), amount('failed')];
  const lags = counts.flatMap(([figure, bucket, amount]) =>
    figure === 'accepted' && bucket >= 0 ? { upTo: lagUpTo(bucket), count: amount } : [],
  );
  return {
    registered: amount('registered'),
    delivered: amount('tracking_delivered'),
    exceptions: amount('tracking_exception'),
    events: amount(...TRACKING_EVENT_KINDS),
    pushes: {
      accepted,
      failed,
      successShare: shareOf(accepted, accepted + failed),
      lagP50Ms: percentile(lags, 0.5),
      lagP95Ms: percentile(lags, 0.95),
    },
  };
}

/** Transit times by carrier, and by lane where it is known. */
function transitsOf(counts: readonly TransitCount[]): Transits {
  const carriers = [...groupBy(counts, ({ carrier }) => carrier)];
  const known = counts.filter(({ origin }) => origin !== '*');
  const lanes = [...groupBy(known, ({ carrier, origin, destination }) => `${carrier} ${origin} ${destination}`)];
  return {
    carriers: carriers.map(([carrier, own]) => ({ carrier, ...timesOf(own) })).sort(byParcels),
    lanes: lanes
      .flatMap(([, own]) =>
        own.slice(0, 1).map(({ carrier, origin, destination }) => ({ carrier, origin, destination, ...timesOf(own) })),
      )
      .sort(byParcels)
      .slice(0, MAX_LANES),
  };
}

function timesOf(counts: readonly TransitCount[]): TransitStats {
  const hours: Histogram = counts.map((count) => ({ upTo: count.hours, count: count.parcels }));
  const total = (of: (count: TransitCount) => number) => counts.reduce((all, count) => all + of(count), 0);
  const inTime = (parcels: number, kept: number) => ({ parcels, share: shareOf(kept, parcels) });
  return {
    parcels: counts.reduce((total, { parcels }) => total + parcels, 0),
    hoursP50: percentile(hours, 0.5) ?? 0,
    hoursP90: percentile(hours, 0.9) ?? 0,
    inTime: {
      carrier: inTime(
        total((count) => count.carrierExpected),
        total((count) => count.carrierInTime),
      ),
      history: inTime(
        total((count) => count.historyExpected),
        total((count) => count.historyInTime),
      ),
    },
  };
}

function groupBy<K, V>(values: readonly V[], keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const group = groups.get(keyOf(value));
    if (group) group.push(value);
    else groups.set(keyOf(value), [value]);
  }
  return groups;
}

function byParcels(a: { parcels: number }, b: { parcels: number }): number {
  return b.parcels - a.parcels;
}

function mostFirst<K>(sums: ReadonlyMap<K, number>): [K, number][] {
  return [...sums].sort(([, a], [, b]) => b - a);
}

/** A share with four digits: more would pretend a precision. */
function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
}

/**
 * How a delivered parcel counts in the transit times of its account.
 * @param body the exact body of its `tracking_delivered`.
 * @param expected the first estimate that it had; null if it had none.
 * @returns null if its transit time is not known or not representative.
 */
export function transitOf(body: string, expected: DeliveryEstimate | null): Transit | null {
  const { carrier, events, pieces } = readTrackingBody(body).data;
  const transit = transitHours(events, pieces);
  if (transit === null) return null;
  const place = events.find(({ status }) => status === 'delivered')?.location ?? '';
  return {
    carrier,
    ...laneOf(firstRegion(events, carrier), firstRegion(events.toReversed(), carrier)),
    hours: transitBucket(transit.hours),
    promise: expected && { source: expected.source, isKept: transit.deliveredAt <= endOf(expected, place, carrier) },
  };
}

/** The end of an estimate; a date ends with the day at the place of the delivery. */
function endOf({ to }: DeliveryEstimate, place: TrackingEvent['location'], carrier: string): Date {
  if (to.includes('T')) return new Date(to);
  const country = findCarrier(carrier, { sandbox: true })?.country ?? '';
  const zone = zoneOfPlace(place, country, { home: true }) ?? 'UTC';
  return new Date(resolveTime(`${to} 23:59:59`, zone)?.time ?? to);
}
