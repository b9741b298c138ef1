import type { DeliveryWindow } from '@pts/core/estimates';
import { type Place, zoneAt } from './time/local-time.ts';
import { resolveTime } from './time/time-zone.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Nothing is delivered at midnight: carriers write a day in this way. */
const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})[T ]00:00(?::00(?:\.0{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/**
 * The carrier's estimate of the delivery at a place. Each end is a date or a time; if one is missing, the other one counts for
 * both. Two dates stay dates, at the destination; a date combined with a time means all of that day there. A single
 * midnight is a date.
 * @returns undefined if there is none, or it cannot be read.
 */
export function estimateOf(from: string, to: string, place: Place): DeliveryWindow | undefined {
  const [first, last] = endsOf(from || to, to || from);
  if (DATE.test(first) && DATE.test(last)) return first <= last ? { from: first, to: last } : undefined;
  const { zone } = zoneAt(place);
  const begin = resolveTime(DATE.test(first) ? `${first} 00:00:00` : first, zone);
  const end = resolveTime(DATE.test(last) ? `${last} 23:59:59` : last, zone);
  if (begin === null || end === null || begin.time > end.time) return undefined;
  return { from: begin.time, to: end.time };
}

function endsOf(first: string, last: string): readonly [string, string] {
  const day = first === last ? MIDNIGHT.exec(first)?.[1] : undefined;
  return day === undefined ? [first, last] : [day, day];
}
