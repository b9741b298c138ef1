const TICK_MS = 20;

/**
 * A clock that stands still while this process does not get to run, for bounds on what waits for nothing but this
 * process: a busy machine does not exceed them, and work that hangs does.
 * @returns `now` in milliseconds since the start. Call `stop` in the end.
 */
export function startOwnClock(): { now(): number; stop(): void } {
  let [passedMs, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const gapMs = performance.now() - last;
    last += gapMs;
    passedMs += Math.min(gapMs, 2 * TICK_MS);
  }, TICK_MS);
  return { now: () => passedMs, stop: () => clearInterval(timer) };
}

/** Runs `work`. @returns how long it took by a clock of its own, in milliseconds. */
export async function ownTimeOf(work: () => Promise<unknown>): Promise<number> {
  const clock = startOwnClock();
  try {
    await work();
    return clock.now();
  } finally {
    clock.stop();
  }
}

/**
 * Sets the clock of this test's machine wrong by `ms`, until the result is called. Timers and the monotonic clock run
 * as before.
 */
export function skewDate(ms: number): () => void {
  const Right = globalThis.Date;
  class Skewed extends Right {
    constructor(...given: [] | [string | number | Date]) {
      super(...((given.length === 0 ? [Right.now() + ms] : given) as [number]));
    }

    static override now(): number {
      return Right.now() + ms;
    }
  }
  globalThis.Date = Skewed as DateConstructor;
  return () => {
    globalThis.Date = Right;
  };
}
