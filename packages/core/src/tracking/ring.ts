/** Slots of a ring: the fixed places of regular checks within their interval. */
export const SLOTS = 3000;
/** The rings: one for each interval. */
export const RING = { monitored: 0, idle: 1, pushed: 2 } as const;
export type Ring = (typeof RING)[keyof typeof RING];

/** Where the provider's floor decides, a tick may be this late before it delays the next one. */
const LATE = { share: 0.01, seconds: 1 };
/** A slot that was claimed and not handed over to the queue is claimed again after this, and after the floor. */
export const SLOT_LEASE_SECONDS = 30;

/** Seconds between two checks of each kind, and the provider's floor. */
export type Intervals = {
  monitoredSeconds: number;
  idleSeconds: number;
  floorSeconds: number;
  /** Absent if nothing is pushed. */
  safetyNetSeconds?: number;
};

/** Seconds between two ticks of the slots of a ring. */
export type RingPeriod = { ring: Ring; periodSeconds: number };

/** The period of each ring: its interval, but longer than the provider's floor. */
export function ringPeriods(intervals: Intervals): RingPeriod[] {
  const { monitoredSeconds, idleSeconds, safetyNetSeconds, floorSeconds } = intervals;
  const min = floorSeconds === 0 ? 0 : floorSeconds * (1 + LATE.share) + LATE.seconds;
  const period = (ring: Ring, seconds: number) => ({ ring, periodSeconds: Math.max(seconds, min) });
  return [
    period(RING.monitored, monitoredSeconds),
    period(RING.idle, idleSeconds),
    // Where nothing is pushed any more, parcels leave this ring soon.
    period(RING.pushed, safetyNetSeconds ?? monitoredSeconds),
  ];
}
