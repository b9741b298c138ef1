import type { DeliveryEstimate, EstimateSource } from '../estimates/estimate.ts';
import { type Day, dayIn } from './calendar.ts';

/** When delivery is expected, in days at the destination. */
export type Expectation = {
  from: Day;
  to: Day;
  source: EstimateSource;
  /** The hours, if it is a window within one day: instants in ISO 8601 UTC. */
  hours?: { from: string; to: string };
  isToday: boolean;
  /** Whether its last day is over. */
  isLate: boolean;
};

/** What an estimate says today: a window that has begun starts today. */
export function expectationOf(
  estimate: DeliveryEstimate | undefined,
  { zone, now }: { zone: string; now: Date },
): Expectation | null {
  if (estimate === undefined) return null;
  const today = dayIn(zone, now);
  const [first, to] = [dayOf(estimate.from, zone), dayOf(estimate.to, zone)];
  const isLate = to < today;
  const from = !isLate && first < today ? today : first;
  const isWithinDay = first === to && estimate.from.length > 10 && estimate.from !== estimate.to;
  return {
    from,
    to,
    source: estimate.source,
    ...(isWithinDay ? { hours: { from: estimate.from, to: estimate.to } } : {}),
    isToday: from === today && to === today,
    isLate,
  };
}

/** The day of an end of an estimate, which is a day at the destination, or an instant. @param zone of the destination */
export function dayOf(text: string, zone: string): Day {
  return text.length === 10 ? text : dayIn(zone, new Date(text));
}
