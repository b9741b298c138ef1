import { lanesOf, movedAt, type TransitTimes, transitHours, windowFrom } from '@pts/core/estimates';
import type { DeliveredParcel } from '@pts/db/estimates/lanes';
import { keyOf, routeOf, samplesOf } from './route.ts';

/** The accuracy of estimates from history: of one carrier, or of all. */
export type Accuracy = {
  carrier: string;
  /** Delivered parcels with a known transit time. */
  parcels: number;
  /** Those that had an estimate when they began to move. */
  estimated: number;
  /** Mean absolute error: hours between the middle of the window and the delivery; null without estimates. */
  maeHours: number | null;
  /** The share that arrived within the window; 0.8 is the goal. Null without estimates. */
  coverage: number | null;
};

type Parcel = DeliveredParcel & { startedAt: Date; deliveredAt: Date };
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

function withTimes(parcel: DeliveredParcel): Parcel[] {
  const startedAt = movedAt(parcel.scans);
  const transit = transitHours(parcel.scans, parcel.pieces);
  return startedAt === null || transit === null ? [] : [{ ...parcel, startedAt, deliveredAt: transit.deliveredAt }];
}

function learn(parcel: Parcel, lanes: Map<string, Map<number, number>>): void {
  for (const { hours, weight, ...lane } of samplesOf(parcel)) {
    const times = lanes.get(keyOf(lane)) ?? new Map<number, number>();
    lanes.set(keyOf(lane), times.set(hours, (times.get(hours) ?? 0) + weight));
  }
}

function compare(parcel: Parcel, lanes: ReadonlyMap<string, ReadonlyMap<number, number>>): Result {
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
