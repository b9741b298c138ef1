/** How long a stream waits, for what. */
export const STREAM_TIMES = {
  maxConcurrency: 2,
  heartbeatMs: 5000,
  pollMs: 2000,
  timeoutMs: 120_000,
  stalledMs: 60_000,
} as const;

/** Streams of events: how many an account, and a process, can have open, and their times. */
export const EVENT_STREAMS = {
  maxConcurrency: 5,
  maxPerProcess: 1000,
  heartbeatMs: 15_000,
  pollMs: 15_000,
  lifeMs: 3_600_000,
} as const;
