import { setImmediate as nextRound } from 'node:timers/promises';

/** Long enough to make progress, short enough not to delay others. */
const SLICE_MS = 1;

/** Divides long work on the thread into slices. */
export type TimeSlices = {
  /** Lets other work run if the slice is over. Time in which the work has waited, for input or the database, does not count. */
  next(): Promise<void>;
  /** Continues work that has waited: from now on its time counts again. */
  resume(): void;
};

export type TimeSliceOptions = {
  sliceMs?: number;
  /** Called after each slice with its time on the thread. Default: no rest. */
  rest?: (tookMs: number) => Promise<void> | undefined;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
};

/** The queue for the next slice: one waiter gets it in each round of the event loop. */
let line: Promise<void> = Promise.resolve();

/**
 * Divides long work into slices, so that a stream of any size does not delay other requests. Several at once delay others no
 * longer than one does.
 */
export function createTimeSlices(options: TimeSliceOptions = {}): TimeSlices {
  const { sliceMs = SLICE_MS, rest = () => undefined, now = () => performance.now() } = options;
  /** Time of this slice until `seenAt`. */
  let tookMs = 0;
  let seenAt = 0;
  /** Whether the event loop has gone round since the work resumed: not all time since then was ours. */
  let hasWaited = false;
  let round: NodeJS.Immediate | undefined;

  const resume = () => {
    seenAt = now();
    hasWaited = false;
    clearImmediate(round);
    round = setImmediate(() => {
      hasWaited = true;
    });
  };
  resume();
  return {
    resume,
    async next() {
      if (hasWaited) return resume();
      const at = now();
      tookMs += at - seenAt;
      seenAt = at;
      if (tookMs < sliceMs) return;
      const rested = rest(tookMs);
      tookMs = 0;
      await rested;
      line = line.then(() => nextRound());
      await line;
      resume();
    },
  };
}
