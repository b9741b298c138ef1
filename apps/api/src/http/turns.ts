import { setImmediate as nextRound } from 'node:timers/promises';

/** Long enough to make progress, short enough not to delay others. */
const TURN_MS = 1;

/** Divides long work on the thread into turns. */
export type Turns = {
  /** Lets other work run if the turn is over. Work that has waited in between, for input or the database, begins a new turn. */
  next(): Promise<void>;
  /** Continues work that has waited for its input: what it did before still counts. */
  resume(): void;
};

export type TurnsOptions = {
  turnMs?: number;
  /** Called after each turn with its time on the thread. Default: no rest. */
  rest?: (tookMs: number) => Promise<void> | undefined;
  /** A monotonic clock in milliseconds. */
  now?: () => number;
};

/** The queue for the next turn: one waiter gets it in each round of the event loop. */
let line: Promise<void> = Promise.resolve();

/**
 * Divides long work into turns, so that a stream of any size does not delay other requests. Several at once delay others no
 * longer than one does.
 */
export function createTurns(options: TurnsOptions = {}): Turns {
  const { turnMs = TURN_MS, rest = () => undefined, now = () => performance.now() } = options;
  let startedAt = 0;
  let seenAt = 0;
  let earlierMs = 0;
  /** Whether the event loop has gone round since: the time since then was not ours. */
  let hasWaited = false;
  let begun = 0;

  const begin = () => {
    startedAt = seenAt = now();
    hasWaited = false;
    begun += 1;
    const own = begun;
    setImmediate(() => {
      if (own === begun) hasWaited = true;
    });
  };
  begin();
  return {
    resume() {
      earlierMs += seenAt - startedAt;
      begin();
    },
    async next() {
      if (hasWaited) return begin();
      seenAt = now();
      const tookMs = earlierMs + seenAt - startedAt;
      if (tookMs < turnMs) return;
      earlierMs = 0;
      await rest(tookMs);
      line = line.then(() => nextRound());
      await line;
      begin();
    },
  };
}
