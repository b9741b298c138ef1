import { type DeliveryWindow, type Lane, lanesOf, movedAt, type TransitTimes, windowFrom } from '@pts/core/estimates';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { Scan } from '@pts/core/tracking/scan';
import type { Db } from '@pts/db/connection';
import { findLaneTimes } from '@pts/db/estimates/lanes';
import { LRUCache } from 'lru-cache';
import { keyOf, routeOf } from './route.ts';

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
export function estimate(times: readonly TransitTimes[], scans: readonly Scan[], now: Date): DeliveryWindow | null {
  const startedAt = movedAt(scans);
  if (startedAt === null) return null;
  for (const each of times) {
    const window = windowFrom(each, startedAt, now);
    if (window !== null) return window;
  }
  return null;
}
