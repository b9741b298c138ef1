import type { Logger } from './logger.ts';
import { type Loop, startLoop } from './loop.ts';
import type { Gauge } from './metrics.ts';

/** A clock that all processes share, whatever their machines say. */
export type SharedClock = {
  now(): Date;
  /** How far the machine's clock is ahead of the shared one, in seconds; negative: behind. */
  skewSeconds(): number;
  /** Reads the shared clock. @throws what `read` throws; the clock then continues from the last reading. */
  sync(): Promise<void>;
};

type Options = {
  /** Reads the shared clock. */
  read(): Promise<Date>;
  logger: Pick<Logger, 'warn' | 'info'>;
  /** Milliseconds since some moment, unaffected by changes of the machine's clock. */
  elapsed?: () => number;
  /** The machine's clock, in milliseconds since 1970. */
  machine?: () => number;
};

/** How often the shared clock is read, in milliseconds. */
const SYNC_EVERY_MS = 5000;
/** A skew is reported from here on, in seconds. */
const MOST_SKEW_SECONDS = 5;
/** A reading that took longer is too vague, unless it is the first. */
const MOST_READING_MS = 1000;

/**
 * Follows a clock that is read periodically: between two readings it runs with the machine's monotonic clock, so a wrong or
 * changed time of the machine makes no difference. Before the first reading it is the machine's clock.
 */
export function createSharedClock({
  read,
  logger,
  elapsed = () => performance.now(),
  machine = () => Date.now(),
}: Options): SharedClock {
  let reading: { at: number; elapsedAt: number } | null = null;
  let isSkewed = false;
  const now = () => (reading === null ? machine() : reading.at + elapsed() - reading.elapsedAt);
  const skewSeconds = () => (machine() - now()) / 1000;

  const report = () => {
    const skew = Math.round(skewSeconds());
    const wasSkewed = isSkewed;
    isSkewed = Math.abs(skew) > MOST_SKEW_SECONDS;
    if (isSkewed && !wasSkewed)
      logger.warn({ skewSeconds: skew }, "this machine's clock is wrong; the database's clock is used instead");
    if (!isSkewed && wasSkewed) logger.info({ skewSeconds: skew }, "this machine's clock is right again");
  };
  return {
    now: () => new Date(now()),
    skewSeconds,
    async sync() {
      const startedAt = elapsed();
      const at = (await read()).getTime();
      const endedAt = elapsed();
      if (reading !== null && endedAt - startedAt > MOST_READING_MS) return;
      reading = { at, elapsedAt: (startedAt + endedAt) / 2 };
      report();
    },
  };
}

/** Keeps a clock in sync, and its skew in a metric, until it is stopped. */
export function startClockLoop(clock: SharedClock, logger: Logger, skew: Gauge): Loop {
  return startLoop('clock', SYNC_EVERY_MS, logger, async () => {
    await clock.sync();
    skew.set(clock.skewSeconds());
    return { more: false };
  });
}
