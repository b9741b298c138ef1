/** The result of a round: whether there is more to do, and how many calls its checks take. */
export type Swept = { more: boolean; calls?: number };

/** With fewer calls in an interval, dividing it would leave many of them with less than a full batch. */
const MANY_CALLS = 8;
const PARTS = 4;

/**
 * The rounds of a sweep. While there are many calls in each interval, they are claimed in quarters of it, and those of a quarter are
 * spread over it: the checks are less late, fewer run at once, and so news waits less for others.
 * @param sweep gets the milliseconds over which to spread its calls.
 * @param now a monotonic clock in milliseconds.
 */
export function createSweepRounds(
  intervalMs: number,
  sweep: (spreadMs: number) => Promise<Swept>,
  now = () => performance.now(),
): () => Promise<{ more: boolean; pauseMs?: number }> {
  const partMs = intervalMs / PARTS;
  let calls = 0;
  let isBusy = false;
  return async () => {
    const startedAt = now();
    const swept = await sweep(isBusy ? partMs : 0);
    calls += swept.calls ?? 0;
    if (swept.more) return { more: true };
    const tookMs = isBusy ? now() - startedAt : 0;
    isBusy = calls >= (isBusy ? MANY_CALLS / PARTS : MANY_CALLS);
    calls = 0;
    return { more: false, pauseMs: Math.max(0, (isBusy ? partMs : intervalMs) - tookMs) };
  };
}
