/** The result of a round: whether there is more to do, and how many calls its checks take. */
export type Swept = { more: boolean; calls?: number };

/** With fewer calls in an interval, dividing it would leave many of them with less than a full batch. */
const MANY_CALLS = 8;
const PARTS = 4;

/**
 * The rounds of a sweep. While there are many calls in each interval, they are claimed in quarters of it: the checks are less late,
 * fewer run at once, and so news waits less for others.
 */
export function createSweepRounds(
  intervalMs: number,
  sweep: () => Promise<Swept>,
): () => Promise<{ more: boolean; pauseMs?: number }> {
  let calls = 0;
  let isBusy = false;
  return async () => {
    const swept = await sweep();
    calls += swept.calls ?? 0;
    if (swept.more) return { more: true };
    isBusy = calls >= (isBusy ? MANY_CALLS / PARTS : MANY_CALLS);
    calls = 0;
    return { more: false, pauseMs: isBusy ? intervalMs / PARTS : intervalMs };
  };
}
