import { createFailureThrottle, secondsBetween } from '@pts/core/process/failure-throttle';
import type { Logger } from './logger.ts';

/** Logs repeated failures without a line for each. Times are in milliseconds. */
export type RoundLog = {
  failed(err: unknown, at: number): void;
  ended(at: number): void;
};

/** Logs the first failure, then at most one a minute with how many there were, then the recovery. */
export function createRoundLog(logger: Pick<Logger, 'error' | 'info'>, fields: Record<string, unknown>): RoundLog {
  const throttle = createFailureThrottle();
  return {
    failed(err, at) {
      const failures = throttle.failed(at);
      if (!failures) return;
      const { count, firstAt } = failures;
      logger.error({ err, ...fields, failures: count, seconds: secondsBetween(firstAt, at) }, 'round failed');
    },
    ended(at) {
      const failures = throttle.succeeded(at);
      if (!failures) return;
      const { count, firstAt } = failures;
      logger.info({ ...fields, failures: count, seconds: secondsBetween(firstAt, at) }, 'rounds succeed again');
    },
  };
}
