import type { EstimatedDelivery } from '@pts/core/tracking/answer';
import { type Place, zoneAt } from './local-time.ts';
import { resolveTime } from './time-zone.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The carrier's estimate of the delivery at a place. Each end is a date (all of that day there) or a time; without an end
 * the begin is meant for both.
 * @returns undefined if there is none, or it cannot be read.
 */
export function estimateOf(from: string, to: string, place: Place): EstimatedDelivery | undefined {
  const { zone } = zoneAt(place);
  const first = from || to;
  const begin = resolveTime(DATE.test(first) ? `${first} 00:00:00` : first, zone);
  const last = to || from;
  const end = resolveTime(DATE.test(last) ? `${last} 23:59:59` : last, zone);
  if (begin === null || end === null || begin.time > end.time) return undefined;
  return { from: begin.time, to: end.time };
}
