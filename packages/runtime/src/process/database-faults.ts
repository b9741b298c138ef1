import { createFailureThrottle, type Failures, secondsBetween } from '@pts/core/process/failure-throttle';
import type { Logger } from '../logger.ts';
import type { Counter } from '../metrics.ts';

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

/** Errors of some connections mix with answers on others. */
const QUIET_MS = 10_000;

/** Logs the first error of an outage, then at most one a minute with how many there were, then the end. */
export function createDatabaseFaults(options: Options): DatabaseFaults {
  const { counter, logger, isUnavailable, elapsed = () => performance.now() } = options;
  const throttle = createFailureThrottle({ quietMs: QUIET_MS });
  const fieldsOf = ({ count, firstAt, lastAt }: Failures) => ({
    faults: count,
    seconds: secondsBetween(firstAt, lastAt),
  });
  return {
    took(error) {
      if (!isUnavailable(error)) return false;
      counter.inc();
      const failures = throttle.failed(elapsed());
      if (failures) logger.error({ err: error, ...fieldsOf(failures) }, 'the database is unavailable');
      return true;
    },
    answered() {
      const failures = throttle.succeeded(elapsed());
      if (failures) logger.info(fieldsOf(failures), 'the database answers again');
    },
  };
}
