import { setImmediate } from 'node:timers/promises';

/** Long enough to make progress, short enough not to delay others. */
const TURN_MS = 2;

/**
 * Work in turns: `next` lets everything else run once this work has had the thread for `turnMs`, so that a stream of
 * any size holds up no other request.
 */
export function createTurns(turnMs = TURN_MS): { next(): Promise<void> } {
  let since = performance.now();
  return {
    async next() {
      if (performance.now() - since < turnMs) return;
      await setImmediate();
      since = performance.now();
    },
  };
}
