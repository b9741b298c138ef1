import { regionOf } from '@pts/carriers/time/place';
import {
  type DeliveryWindow,
  type Lane,
  lanesOf,
  movedAt,
  type ShippingRoute,
  type TransitTimes,
  transitHours,
  weightAt,
  windowFrom,
} from '@pts/core/estimates';
import type { CarrierAnswer, Found } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { Db } from '@pts/db/connection';
import { type DeliveredParcel, findLaneTimes, type LaneSample } from '@pts/db/lanes';
import { LRUCache } from 'lru-cache';

/** An answer that may need an estimate from history. */
export type Estimated = {
  answer: CarrierAnswer;
  carrier?: string;
  hints?: { destinationCountry?: string } | null;
  estimate?: ((scans: readonly Scan[]) => DeliveryWindow | null) | undefined;
};

/** Estimates deliveries from the transit times of similar parcels. */
export type Estimator = {
  /** Adds `estimate` to the answers whose carrier gives none. Usually without a query: transit times are cached. */
  prepare<A extends Estimated>(answers: readonly A[], now: Date): Promise<A[]>;
};

/** Lanes whose transit times are kept in memory, and for how long: a lane changes slowly. */
const MAX_LANES = 10_000;
const CACHED_MS = 15 * 60_000;

export function createEstimator(db: Db): Estimator {
  const known = new LRUCache<string, TransitTimes>({ max: MAX_LANES, ttl: CACHED_MS });

  async function load(lanes: readonly Lane[]): Promise<void> {
    const missing = new Map(lanes.filter((lane) => !known.has(keyOf(lane))).map((lane) => [keyOf(lane), lane]));
    if (missing.size === 0) return;
    const found = await findLaneTimes(db, [...missing.values()]);
    // Only now: answers that are prepared meanwhile read them, too, and after a fault so do the next ones.
    for (const key of missing.keys()) known.set(key, []);
    for (const { times, ...lane } of found) known.set(keyOf(lane), times);
  }

  return {
    prepare: async (answers, now) => {
      const lanes = answers.map(lanesToRead);
      await load(lanes.flat());
      return answers.map((entry, index) => {
        const times = (lanes[index] ?? []).map((lane) => known.get(keyOf(lane)) ?? []);
        return times.length === 0 ? entry : { ...entry, estimate: (scans) => estimate(times, scans, now) };
      });
    },
  };
}

/** The lanes of a parcel that is in transit and whose carrier gives no estimate, most specific first. */
function lanesToRead({ answer, carrier, hints }: Estimated): Lane[] {
  if (answer.kind !== 'found' || carrier === undefined || answer.estimatedDelivery !== undefined) return [];
  if (answer.scans.some(({ status }) => status === 'delivered' || status === 'returned')) return [];
  const route = routeOf({ carrier, destinationCountry: hints?.destinationCountry ?? null }, answer);
  return route === null ? [] : lanesOf(route);
}

/** The estimate of the most specific lane that has enough parcels. */
function estimate(times: readonly TransitTimes[], scans: readonly Scan[], now: Date): DeliveryWindow | null {
  const startedAt = movedAt(scans);
  if (startedAt === null) return null;
  for (const each of times) {
    const window = windowFrom(each, startedAt, now);
    if (window !== null) return window;
  }
  return null;
}

type Parcel = { carrier: string; destinationCountry: string | null };

/**
 * The route of a parcel in transit: from its first scan with a place to the destination from its provider or merchant.
 */
function routeOf({ carrier, destinationCountry }: Parcel, answer: Found): ShippingRoute | null {
  const scans = answer.scans.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const origin = firstRegion(scans, carrier);
  if (origin === null) return null;
  const stated = answer.destination === undefined ? null : regionOf(answer.destination, carrier);
  return { carrier, origin, destination: stated ?? destinationCountry };
}

/** The samples that a delivered parcel adds to its lanes, one each; none if its transit time is not known. */
export function samplesOf({ carrier, scans, pieces }: DeliveredParcel): LaneSample[] {
  const transit = transitHours(scans, pieces);
  const origin = firstRegion(scans, carrier);
  if (transit === null || origin === null) return [];
  const destination = firstRegion(scans.toReversed(), carrier);
  const { hours, deliveredAt } = transit;
  return lanesOf({ carrier, origin, destination }).map((lane) => ({ ...lane, hours, weight: weightAt(deliveredAt) }));
}

/** The region of the first scan whose place shows one. */
export function firstRegion(scans: readonly Pick<Scan, 'location'>[], carrier: string): string | null {
  for (const { location } of scans) {
    const region = regionOf(location, carrier);
    if (region !== null) return region;
  }
  return null;
}

/** A text that is the same for equal lanes. */
function keyOf({ carrier, origin, destination }: Lane): string {
  return `${carrier} ${origin} ${destination}`;
}

/** The accuracy of estimates from history: of one carrier, or of all. */
export type Accuracy = {
  carrier: string;
  /** Delivered parcels with a known transit time. */
  parcels: number;
  /** Delivered parcels that had an estimate when they began to move. */
  estimated: number;
  /** Mean absolute error: hours between the middle of the window and the delivery; null without estimates. */
  maeHours: number | null;
  /** The share that arrived within the window; 0.8 is the goal. Null without estimates. */
  coverage: number | null;
};

type PastParcel = DeliveredParcel & { startedAt: Date; deliveredAt: Date };
type Result = { carrier: string; errorHours: number; isWithin: boolean } | { carrier: string; errorHours: null };

const HOUR_MS = 3_600_000;

/**
 * Estimates each parcel at the moment it began to move, from the parcels delivered before that moment, as the service
 * would have, and compares the estimate with its delivery.
 * @returns all carriers together, then each, those with the most parcels first.
 */
export function backtest(delivered: readonly DeliveredParcel[]): Accuracy[] {
  const parcels = delivered.flatMap(withTimes);
  const lanes = new Map<string, Map<number, number>>();
  const results: Result[] = [];
  const moments = parcels.flatMap((parcel) => [
    { at: parcel.startedAt, parcel, isStart: true },
    { at: parcel.deliveredAt, parcel, isStart: false },
  ]);
  moments.sort((a, b) => a.at.getTime() - b.at.getTime());
  for (const { parcel, isStart } of moments) {
    if (isStart) results.push(compare(parcel, lanes));
    else learn(parcel, lanes);
  }
  const carriers = new Map<string, Result[]>();
  for (const result of results) carriers.set(result.carrier, [...(carriers.get(result.carrier) ?? []), result]);
  const each = [...carriers].map(([carrier, own]) => accuracyOf(carrier, own));
  return [accuracyOf('all', results), ...each.sort((a, b) => b.parcels - a.parcels)];
}

function withTimes(parcel: DeliveredParcel): PastParcel[] {
  const startedAt = movedAt(parcel.scans);
  const transit = transitHours(parcel.scans, parcel.pieces);
  return startedAt === null || transit === null ? [] : [{ ...parcel, startedAt, deliveredAt: transit.deliveredAt }];
}

function learn(parcel: PastParcel, lanes: Map<string, Map<number, number>>): void {
  for (const { hours, weight, ...lane } of samplesOf(parcel)) {
    const times = lanes.get(keyOf(lane)) ?? new Map<number, number>();
    lanes.set(keyOf(lane), times.set(hours, (times.get(hours) ?? 0) + weight));
  }
}

function compare(parcel: PastParcel, lanes: ReadonlyMap<string, ReadonlyMap<number, number>>): Result {
  const { carrier, scans, startedAt, deliveredAt } = parcel;
  const first = scans.filter(({ time }) => Date.parse(time) <= startedAt.getTime());
  const route = routeOf(parcel, { kind: 'found', scans: first });
  for (const lane of route === null ? [] : lanesOf(route)) {
    const times = [...(lanes.get(keyOf(lane)) ?? [])].map(([hours, weight]) => ({ hours, weight }));
    const window = windowFrom(times satisfies TransitTimes, startedAt, startedAt);
    if (window === null) continue;
    const [from, to] = [Date.parse(window.from), Date.parse(window.to)];
    const actual = deliveredAt.getTime();
    const errorHours = Math.abs((from + to) / 2 - actual) / HOUR_MS;
    return { carrier, errorHours, isWithin: actual >= from && actual <= to };
  }
  return { carrier, errorHours: null };
}

function accuracyOf(carrier: string, results: readonly Result[]): Accuracy {
  const estimated = results.filter((result) => result.errorHours !== null);
  const share = (count: number) => (estimated.length === 0 ? null : count / estimated.length);
  return {
    carrier,
    parcels: results.length,
    estimated: estimated.length,
    maeHours: share(estimated.reduce((sum, { errorHours }) => sum + errorHours, 0)),
    coverage: share(estimated.filter(({ isWithin }) => isWithin).length),
  };
}
