import type { Check } from '@pts/core/process/readiness-check';
import type { Logger } from '../logger.ts';
import type { Gauge } from '../metrics.ts';
import type { DatabaseFaults } from './database-faults.ts';
import { type Loop, startLoop } from './loop.ts';

/** A clock that all processes share: the database's. */
export type SharedClock = {
  now(): Date;
  /** How far the machine's clock is ahead of the shared one at the moment, in seconds; negative: behind. */
  skewSeconds(): number;
  /**
   * Whether the machine's clock is close enough to the shared one. Otherwise the process takes no work, and is not
   * ready.
   */
  isRight(): boolean;
  /** The state of the machine's clock as a readiness check. */
  check(): Check;
  /** Reads the shared clock. @throws what `read` throws; the clock then continues from the last reading. */
  sync(): Promise<void>;
};

type Options = {
  /** Reads the shared clock. */
  read(): Promise<Date>;
  /** Milliseconds since some moment, unaffected by changes of the machine's clock. */
  elapsed?: () => number;
  /** The machine's clock, in milliseconds since 1970. */
  machine?: () => number;
};

/** How often the shared clock is read, in milliseconds. */
const SYNC_EVERY_MS = 5000;
/** How far a machine's clock may be from the shared one. NTP keeps it within milliseconds. */
const MAX_SKEW_MS = 5000;
/** A vaguer reading does not replace a better one. */
const MAX_VAGUE_MS = 500;

/**
 * Follows a clock that is read periodically: between two readings it runs with the machine's monotonic clock, so a
 * wrong or changed time of the machine makes no difference to it, and is noticed at once. Before the first reading it
 * is the machine's clock.
 */
export function createSharedClock({
  read,
  elapsed = () => performance.now(),
  machine = () => Date.now(),
}: Options): SharedClock {
  /** The moment of a reading is known up to half of the time that it took. */
  let reading: { at: number; elapsedAt: number; vagueMs: number } | null = null;
  const now = () => (reading === null ? machine() : reading.at + elapsed() - reading.elapsedAt);
  const skewMs = () => machine() - now();
  // A slow database is not a wrong clock.
  const isRight = () => reading === null || Math.abs(skewMs()) <= MAX_SKEW_MS + reading.vagueMs;
  return {
    now: () => new Date(now()),
    skewSeconds: () => skewMs() / 1000,
    isRight,
    check() {
      if (reading === null) return { state: 'starting' };
      return isRight() ? { state: 'ok' } : { state: 'unfit', reason: inWords(skewMs()) };
    },
    async sync() {
      const startedAt = elapsed();
      const at = (await read()).getTime();
      const vagueMs = (elapsed() - startedAt) / 2;
      if (reading !== null && vagueMs > Math.max(MAX_VAGUE_MS, reading.vagueMs)) return;
      reading = { at, elapsedAt: startedAt + vagueMs, vagueMs };
    },
  };
}

function inWords(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000).toLocaleString('en-US');
  return `clock is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} PostgreSQL's, so the process takes no work`;
}

/**
 * Keeps a clock in sync, its skew in a metric, and tells when the machine's clock becomes wrong and right, until it is
 * stopped.
 */
export function startClockLoop(clock: SharedClock, logger: Logger, skew: Gauge, faults?: DatabaseFaults): Loop {
  let wasRight = true;
  const round = async () => {
    await clock.sync();
    faults?.answered();
    const [check, skewSeconds] = [clock.check(), clock.skewSeconds()];
    skew.set(skewSeconds);
    if (check.state === 'unfit' && wasRight) logger.warn({ skewSeconds }, check.reason);
    if (check.state === 'ok' && !wasRight)
      logger.info({ skewSeconds }, 'the clock is correct again, and the process takes work');
    wasRight = check.state === 'ok';
    return { more: false };
  };
  return startLoop('clock', SYNC_EVERY_MS, logger, round, faults?.took);
}
