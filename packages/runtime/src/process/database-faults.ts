import { createFailureThrottle, type Failures, secondsBetween } from '@pts/core/process/failure-throttle';
import type { Logger } from '../logger.ts';
import type { Counter } from '../metrics.ts';

/** Why the database did not do what it was asked: it is unreachable, or one statement took too long. */
export type DatabaseFault = 'unreachable' | 'slow';

/** Errors that are the database's. One outage fails everything, and is reported once. */
export type DatabaseFaults = {
  /** Counts and logs such an error. @returns false if it is another one, which the caller reports. */
  took(error: unknown): boolean;
  /** The database has answered. */
  answered(): void;
};

type Options = {
  counter: Pick<Counter<'kind'>, 'inc'>;
  logger: Pick<Logger, 'error' | 'info'>;
  /** Null for any other error. */
  kindOf(error: unknown): DatabaseFault | null;
  /** Milliseconds since some moment. */
  elapsed?: () => number;
};

/** Errors of some connections mix with answers on others. */
const QUIET_MS = 10_000;

const LINES = {
  unreachable: { begins: 'the database is unavailable', ends: 'the database is available again' },
  slow: { begins: 'a statement took too long', ends: 'statements are fast enough again' },
} as const;

/** Logs the first error of each kind, then at most one a minute with how many there were, then the end. */
export function createDatabaseFaults(options: Options): DatabaseFaults {
  const { counter, logger, kindOf, elapsed = () => performance.now() } = options;
  const throttles = {
    unreachable: createFailureThrottle({ quietMs: QUIET_MS }),
    slow: createFailureThrottle({ quietMs: QUIET_MS }),
  };
  const fieldsOf = ({ count, firstAt, lastAt }: Failures) => ({
    faults: count,
    seconds: secondsBetween(firstAt, lastAt),
  });
  return {
    took(error) {
      const kind = kindOf(error);
      if (kind === null) return false;
      counter.inc({ kind });
      const failures = throttles[kind].failed(elapsed());
      if (failures) logger.error({ err: error, ...fieldsOf(failures) }, LINES[kind].begins);
      return true;
    },
    answered() {
      for (const kind of ['unreachable', 'slow'] as const) {
        const failures = throttles[kind].succeeded(elapsed());
        if (failures) logger.info(fieldsOf(failures), LINES[kind].ends);
      }
    },
  };
}
