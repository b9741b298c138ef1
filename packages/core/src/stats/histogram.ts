/** How many values are in each bucket, by its upper bound. A bound may appear several times. */
export type Histogram = readonly { upTo: number; count: number }[];

/**
 * The value that a share of all values does not exceed: the upper bound of its bucket, so it is never too low.
 * @returns null without values.
 */
export function percentile(histogram: Histogram, share: number): number | null {
  const target = share * histogram.reduce((sum, { count }) => sum + count, 0);
  if (target <= 0) return null;
  let passed = 0;
  for (const { upTo, count } of histogram.toSorted((a, b) => a.upTo - b.upTo)) {
    passed += count;
    if (passed >= target) return upTo;
  }
  return null;
}

/** The upper bound of a bucket of lags, in milliseconds. Bounds are 19 % apart (`pushes` in `packages/db/src/stats.ts`). */
export function lagUpTo(bucket: number): number {
  return Math.round(2 ** (bucket / 4));
}
