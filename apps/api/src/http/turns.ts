import { setImmediate } from 'node:timers/promises';

/** Long enough to make progress, short enough not to delay others. */
const TURN_MS = 2;

/** The queue for the next turn: one waiter gets it in each round of the event loop. */
let line: Promise<void> = Promise.resolve();

/**
 * Divides long work into turns: `next` yields to other work after `turnMs` on the thread, so that a stream of
 * any size does not delay other requests. Several at once delay others no longer than one does.
 */
export function createTurns(turnMs = TURN_MS): { next(): Promise<void> } {
  let since = performance.now();
  return {
    async next() {
      if (performance.now() - since < turnMs) return;
      line = line.then(() => setImmediate());
      await line;
      since = performance.now();
    },
  };
}
