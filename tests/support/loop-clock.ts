/** Measures time without that in which this process did not get to run, as other processes of a busy machine did not either. */
export function startLoopClock() {
  let [passedMs, last] = [0, performance.now()];
  const timer = setInterval(() => {
    const gap = performance.now() - last;
    last += gap;
    passedMs += Math.min(gap, 40);
  }, 20);
  return {
    /** Milliseconds in which this process could run. */
    now: () => passedMs,
    /** @returns the same, at the end. */
    stop: () => {
      clearInterval(timer);
      return passedMs;
    },
  };
}
