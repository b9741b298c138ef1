/** A position in the feed of events: right after the event with these numbers. */
export type FeedPosition = { xact: bigint; position: bigint };

export const BEGINNING: FeedPosition = { xact: 0n, position: 0n };

export function isBefore(one: FeedPosition, other: FeedPosition): boolean {
  return one.xact === other.xact ? one.position < other.position : one.xact < other.xact;
}

/** A server in one of its lives: a promotion, and a recovery to a point in time, begin the next one. */
export type Epoch = { id: number; system: string; timeline: number; firstXact: bigint };

/** How a place that was reached on one server stands on the current one. */
export type Standing = {
  current: Epoch;
  /** The epoch of the cursor; null if this database has never been in it. */
  epoch: Epoch | null;
  /** The oldest running transaction: all before it have ended. */
  oldestOpen: bigint;
  /** The timeline of the account's last event up to the place; null if there is none. */
  lastTimeline: number | null;
  /** The account's last event up to the place that was stored before the cursor's epoch ended. */
  lastKnown: FeedPosition | null;
  /** Whether the event at the place is stored here. */
  isHere: boolean;
};

/**
 * Where a reader goes on that comes from another epoch: at its own place if that skips nothing, otherwise at an earlier
 * one, from which on events may be read again.
 *
 * Within one cluster, timelines count up and a promoted server continues the transaction numbers that it knew. So a
 * place among them stays valid. Beyond them, events of the new timeline have numbers that the reader has passed.
 */
export function positionToContinue(place: FeedPosition, standing: Standing): FeedPosition {
  const { current, epoch, oldestOpen, lastTimeline, lastKnown, isHere } = standing;
  if (epoch === null) return BEGINNING;
  // Another cluster: pg_upgrade continues the numbers, a dump brings its events to a server that starts numbering
  // again.
  if (epoch.system !== current.system) return isHere && place.xact < current.firstXact ? place : BEGINNING;
  if (epoch.timeline > current.timeline) return BEGINNING;
  const isSettled = place.xact < oldestOpen || (place.xact === oldestOpen && place.position === 0n);
  const isPassed = lastTimeline !== null && lastTimeline > epoch.timeline;
  return isSettled && !isPassed ? place : (lastKnown ?? BEGINNING);
}
