import { toUtcSeconds } from './time.ts';
import { deliveryIn, type Pieces } from './tracking/derive.ts';
import { offsetOf, type Scan } from './tracking/scan.ts';
import type { SubStatus } from './tracking/status.ts';

/** When delivery is expected: local dates of the destination (`2026-11-24`), or instants in ISO 8601 UTC. */
export type DeliveryWindow = { from: string; to: string };

/** `carrier`: the carrier's own estimate. `history`: 80 % of similar parcels arrived within the window. */
export const ESTIMATE_SOURCES = ['carrier', 'history'] as const;
export type EstimateSource = (typeof ESTIMATE_SOURCES)[number];
export type DeliveryEstimate = DeliveryWindow & { source: EstimateSource };

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;
/** An estimate further away than this is a mistake. */
const FURTHEST_DAYS = 366;

/**
 * The window of a provider's estimate as merchants see it: in order, both ends given, both dates or both instants.
 * @returns undefined for anything else, and for a window a year or more away.
 */
export function boundWindow(window: DeliveryWindow | undefined, now: Date): DeliveryWindow | undefined {
  if (window === undefined) return undefined;
  const { from, to } = window;
  const isUniform = [DATE, INSTANT].some((form) => form.test(from) && form.test(to));
  const distance = Math.abs(Date.parse(to) - now.getTime());
  const isPlausible = Date.parse(from) <= Date.parse(to) && distance <= FURTHEST_DAYS * 86_400_000;
  return isUniform && isPlausible ? { from, to } : undefined;
}

/** Whether a parcel in this state is still to be delivered to its recipient. */
export function isUnderWay(subStatus: SubStatus): boolean {
  return subStatus !== 'delivered' && subStatus !== 'returned' && subStatus !== 'expired';
}

/**
 * Whether two estimates of a carrier name other days. A shift by minutes is shown, but it is not news.
 * @param scans of the parcel, in order: the clocks at its newest place decide which day a moment belongs to.
 */
export function namesOtherDays(
  before: DeliveryEstimate | undefined,
  after: DeliveryEstimate | undefined,
  scans: readonly Scan[],
): boolean {
  if (after?.source !== 'carrier') return false;
  if (before?.source !== 'carrier') return true;
  if (before.from === after.from && before.to === after.to) return false;
  const offsetMs = newestOffset(scans);
  return (
    dayOf(before.from, offsetMs) !== dayOf(after.from, offsetMs) ||
    dayOf(before.to, offsetMs) !== dayOf(after.to, offsetMs)
  );
}

/** How far the clocks at the newest place that tells it are ahead of UTC, in ms. */
function newestOffset(scans: readonly Scan[]): number {
  for (const scan of scans.toReversed()) {
    const offset = offsetOf(scan);
    if (offset !== null) return offset;
  }
  return 0;
}

function dayOf(text: string, offsetMs: number): string {
  return DATE.test(text) ? text : new Date(Date.parse(text) + offsetMs).toISOString().slice(0, 10);
}

/** A carrier's way from one region to another (`CN-GD`, `DE`); `*` for any. */
export type Lane = { carrier: string; origin: string; destination: string };

/** How long parcels of a lane took: the weight of those delivered within `hours`, and not within a bucket less. */
export type TransitTimes = readonly { hours: number; weight: number }[];

/** The ends of a parcel's way; the destination is null while it is not known. */
export type ShippingRoute = { carrier: string; origin: string; destination: string | null };

/** Transit times are counted in buckets of this many hours. */
const BUCKET_HOURS = 3;
/** A parcel that took longer was lost and found again; it is not representative. */
const LONGEST_HOURS = 60 * 24;
/** A parcel counts half as much as one that was delivered this many days later. */
const HALF_LIFE_DAYS = 45;
/** Weights are relative to this moment; only their ratios matter. */
const EPOCH_MS = Date.UTC(2026, 0, 1);
/** The fewest parcels (of today's weight) for an estimate. */
const MIN_PARCELS = 30;
/** The fewest of them that must have taken longer than the parcel has been in transit. */
const MIN_SLOWER = 10;
/** The window leaves out the fastest and the slowest tenth. */
const LOW = 0.1;
const HIGH = 0.9;

const HOUR_MS = 3_600_000;

/** A scan, as stored or as pushed. */
type TimedScan = { time: string; status: string };

/** When a parcel began to move: its first scan beyond the label; null before. */
export function movedAt(scans: readonly TimedScan[]): Date | null {
  const first = scans.find(({ status }) => status !== 'info_received');
  return first === undefined ? null : new Date(first.time);
}

/** How long a delivered parcel took until its last piece, in whole buckets; null if it is not representative. */
export function transitHours(
  scans: readonly TimedScan[],
  pieces: Pieces | null | undefined,
): { hours: number; deliveredAt: Date } | null {
  const startedAt = movedAt(scans);
  const delivered = deliveryIn(scans, pieces);
  if (startedAt === null || delivered === undefined) return null;
  const deliveredAt = new Date(delivered.time);
  const hours = Math.ceil((deliveredAt.getTime() - startedAt.getTime()) / HOUR_MS / BUCKET_HOURS) * BUCKET_HOURS;
  return hours > 0 && hours <= LONGEST_HOURS ? { hours, deliveredAt } : null;
}

/** The lanes that a route belongs to, most specific first: by region, by country, then to anywhere. */
export function lanesOf({ carrier, origin, destination }: ShippingRoute): Lane[] {
  const pairs =
    destination === null
      ? []
      : [
          [origin, destination],
          [countryOf(origin), countryOf(destination)],
        ];
  const all = [...pairs, [origin, '*'], [countryOf(origin), '*']];
  const unique = new Map(
    all.map(([from = '', to = '']) => [`${from} ${to}`, { carrier, origin: from, destination: to }]),
  );
  return [...unique.values()];
}

/** The country of a region, `CN` of `CN-GD`. */
export function countryOf(region: string): string {
  return region.split('-', 1)[0] ?? region;
}

/** The weight of a parcel that was delivered at a time: recent ones count more, and no weight ever changes. */
export function weightAt(time: Date): number {
  return 2 ** ((time.getTime() - EPOCH_MS) / (HALF_LIFE_DAYS * 24 * HOUR_MS));
}

/**
 * The window in which 80 % of the parcels arrived that took longer than this one has been in transit.
 * @returns null if they are too few.
 */
export function windowFrom(times: TransitTimes, startedAt: Date, now: Date): DeliveryWindow | null {
  const today = weightAt(now);
  const elapsed = (now.getTime() - startedAt.getTime()) / HOUR_MS;
  const slower = times.filter(({ hours }) => hours > elapsed).toSorted((a, b) => a.hours - b.hours);
  const remaining = sum(slower);
  if (sum(times) < MIN_PARCELS * today || remaining < MIN_SLOWER * today) return null;
  const from = Math.max(elapsed, hoursAt(slower, LOW * remaining) - BUCKET_HOURS);
  const at = (hours: number) => toUtcSeconds(new Date(startedAt.getTime() + hours * HOUR_MS));
  return { from: at(from), to: at(hoursAt(slower, HIGH * remaining)) };
}

function sum(times: TransitTimes): number {
  return times.reduce((total, { weight }) => total + weight, 0);
}

/** The bucket in which the weights, added up, reach `target`. */
function hoursAt(times: TransitTimes, target: number): number {
  let passed = 0;
  for (const { hours, weight } of times) {
    passed += weight;
    if (passed >= target) return hours;
  }
  return times.at(-1)?.hours ?? 0;
}

/** Carriers reuse numbers: scans this long before the registration belong to another parcel. */
const OTHER_PARCEL_DAYS = 120;
/** A scan dated further in the future than this is a plan or a mistake. */
const AHEAD_HOURS = 24;
/** A parcel at a pickup point that the carrier no longer tracks counts as collected after this time. */
const PRESUMED_AFTER_DAYS = 7;

/** Scans, grouped by how they relate to the registered parcel. */
type Sorted = {
  /** Scans of this parcel up to now: they decide the status. */
  current: Scan[];
  /** Scans of an earlier parcel with the same number. */
  previous: Scan[];
  /** Scans announced for the future. */
  expected: Scan[];
};

/** Separates the scans of a parcel from those of an earlier parcel with its number and from announced ones. */
export function sortScans(scans: readonly Scan[], registeredAt: Date, now: Date): Sorted {
  const sorted: Sorted = { current: [], previous: [], expected: [] };
  const first = registeredAt.getTime() - OTHER_PARCEL_DAYS * 86_400_000;
  for (const scan of scans) {
    if (Date.parse(scan.time) < first) sorted.previous.push(scan);
    else if (isAhead(scan, now)) sorted.expected.push(scan);
    else sorted.current.push(scan);
  }
  return sorted;
}

/** Whether a scan is dated too far ahead to have happened. */
export function isAhead({ time }: Scan, now: Date): boolean {
  return Date.parse(time) > now.getTime() + AHEAD_HOURS * 3_600_000;
}

/** Whether no more scans will come and the newest one is a week old. */
export function isPresumedDelivered(
  { scans, isWatchEnded }: { scans: readonly Scan[]; isWatchEnded?: true },
  now: Date,
): boolean {
  if (!isWatchEnded || scans.length === 0) return false;
  const newest = Math.max(...scans.map(({ time }) => Date.parse(time)));
  return newest <= now.getTime() - PRESUMED_AFTER_DAYS * 86_400_000;
}
