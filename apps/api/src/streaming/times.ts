/** How long a stream waits, for what. */
export const STREAM_TIMES = {
  mostAtOnce: 2,
  heartbeatMs: 5000,
  pollMs: 2000,
  timeoutMs: 120_000,
  stalledMs: 60_000,
} as const;
