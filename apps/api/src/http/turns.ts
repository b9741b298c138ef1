import { setImmediate } from 'node:timers/promises';

/** Long enough to make progress, short enough not to delay others. */
const TURN_MS = 2;

/** All who wait for their next turn, in order: one of them gets it in each round of the event loop. */
let line: Promise<void> = Promise.resolve();

/**
 * Work in turns: `next` lets everything else run once this work has had the thread for `turnMs`, so that a stream of
 * any size holds up no other request. Several of them at once hold others up no longer than one.
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
