import { toUtcSeconds } from '../time.ts';
import type { Pieces } from '../tracking/derive.ts';
import type { DeliveryWindow } from './estimate.ts';

/** A carrier's way from one region to another (`CN-GD`, `DE`); `*` for any. */
export type Lane = { carrier: string; origin: string; destination: string };

/** How long parcels of a lane took: the weight of those delivered within `hours`, and not within a bucket less. */
export type TransitTimes = readonly { hours: number; weight: number }[];

/** The ends of a parcel's way; the destination is null while it is not known. */
export type Route = { carrier: string; origin: string; destination: string | null };

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
  const isDelivery = ({ status }: TimedScan) => status === 'delivered';
  // Of a single one, carriers report the delivery again, for instance with its proof.
  const delivered = pieces ? scans.findLast(isDelivery) : scans.find(isDelivery);
  if (startedAt === null || delivered === undefined) return null;
  const deliveredAt = new Date(delivered.time);
  const hours = Math.ceil((deliveredAt.getTime() - startedAt.getTime()) / HOUR_MS / BUCKET_HOURS) * BUCKET_HOURS;
  return hours > 0 && hours <= LONGEST_HOURS ? { hours, deliveredAt } : null;
}

/** The lanes that a route belongs to, most specific first: by region, by country, then to anywhere. */
export function lanesOf({ carrier, origin, destination }: Route): Lane[] {
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
