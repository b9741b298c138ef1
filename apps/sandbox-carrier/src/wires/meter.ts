/**
 * The statistics of a wire: its calls, those beyond its limit, the most within one second, requests for tokens, and the
 * numbers that were registered (which providers charge for), released and resumed.
 */
export type Count = {
  calls: number;
  refused: number;
  maxPerSecond: number;
  tokens: number;
  registered: number;
  released: number;
  resumed: number;
};

/** Counts the calls of a wire and detects those beyond its limit. */
export type Meter = { count: Count; admits(): boolean };

/** Calls travel: they may arrive a little closer together than they were made. */
const LEEWAY_MS = 150;

/** A bucket of `calls` that fills again within `seconds`. */
export function meter(limit: { calls: number; seconds: number }, nowMs: () => number): Meter {
  const perMs = limit.calls / (limit.seconds * 1000);
  const ofNumbers = { registered: 0, released: 0, resumed: 0 };
  const count: Count = { calls: 0, refused: 0, maxPerSecond: 0, tokens: 0, ...ofNumbers };
  let recent: number[] = [];
  let level = limit.calls;
  let seenAt = nowMs();
  return {
    count,
    admits: () => {
      const now = nowMs();
      level = Math.min(limit.calls, level + (now - seenAt) * perMs);
      seenAt = now;
      recent = [...recent.filter((at) => at > now - 1000), now];
      count.calls += 1;
      count.maxPerSecond = Math.max(count.maxPerSecond, recent.length);
      const isWithin = level >= 1 - LEEWAY_MS * perMs;
      if (isWithin) level -= 1;
      else count.refused += 1;
      return isWithin;
    },
  };
}
