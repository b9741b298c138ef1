import { setTimeout as delay, setImmediate } from 'node:timers/promises';

/** Long enough to make progress, short enough not to delay others. */
const TURN_MS = 2;
/** While others are active, work rests for this many times as long as its turn took. */
const REST = 3;
const MOST_REST_MS = 30;

/** Divides long work: `next` lets other work run if the turn is over. */
export type Turns = { next(): Promise<void> };

export type TurnsOptions = {
  turnMs?: number;
  /** Whether the thread is needed by others, which gives this work a quarter of its time. Default: never. */
  hasOthers?: () => boolean;
  pause?: (ms: number) => Promise<void>;
};

/** The queue for the next turn: one waiter gets it in each round of the event loop. */
let line: Promise<void> = Promise.resolve();

/**
 * Divides long work into turns, so that a stream of any size does not delay other requests. Several at once delay others no
 * longer than one does.
 */
export function createTurns({ turnMs = TURN_MS, hasOthers = () => false, pause = delay }: TurnsOptions = {}): Turns {
  let since = performance.now();
  return {
    async next() {
      const tookMs = performance.now() - since;
      if (tookMs < turnMs) return;
      line = line.then(() => (hasOthers() ? pause(Math.min(REST * tookMs, MOST_REST_MS)) : setImmediate()));
      await line;
      since = performance.now();
    },
  };
}
