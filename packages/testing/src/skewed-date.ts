/**
 * Sets the clock of this test's machine wrong by `ms`, until the result is called. Timers and the monotonic clock run as
 * before.
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
