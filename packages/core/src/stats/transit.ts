import type { EstimateSource } from '../estimates/estimate.ts';
import { countryOf } from '../estimates/lanes.ts';

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
