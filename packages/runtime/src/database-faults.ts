import type { Logger } from './logger.ts';
import type { Counter } from './metrics.ts';

/** Errors which mean that the database is unavailable. One outage fails everything, and is reported once. */
export type DatabaseFaults = {
  /** Counts and logs such an error. @returns false if it is another one, which the caller reports. */
  took(error: unknown): boolean;
  /** The database has answered. */
  answered(): void;
};

type Options = {
  counter: Pick<Counter<never>, 'inc'>;
  logger: Pick<Logger, 'error' | 'info'>;
  isUnavailable(error: unknown): boolean;
  /** Milliseconds since some moment. */
  elapsed?: () => number;
};

const EVERY_MS = 60_000;
/** Errors of some connections mix with answers on others: an outage is over after this long without an error. */
const QUIET_MS = 10_000;

/** Logs the first error of an outage, then at most one a minute with how many there were, then the end. */
export function createDatabaseFaults(options: Options): DatabaseFaults {
  const { counter, logger, isUnavailable, elapsed = () => performance.now() } = options;
  let faults = 0;
  let [since, lastAt, toldAt] = [0, 0, 0];
  return {
    took(error) {
      if (!isUnavailable(error)) return false;
      counter.inc();
      faults += 1;
      lastAt = elapsed();
      if (faults === 1) since = lastAt;
      else if (lastAt - toldAt < EVERY_MS) return true;
      toldAt = lastAt;
      logger.error({ err: error, faults, seconds: seconds(lastAt - since) }, 'the database is unavailable');
      return true;
    },
    answered() {
      if (faults === 0 || elapsed() - lastAt < QUIET_MS) return;
      logger.info({ faults, seconds: seconds(lastAt - since) }, 'the database answers again');
      faults = 0;
    },
  };
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
