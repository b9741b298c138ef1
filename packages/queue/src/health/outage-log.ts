import { createFailureThrottle } from '@pts/core/process/failure-throttle';

/** Limits the log of an unreachable store: the first error, then a count every minute, and the recovery. */
export type OutageLog = {
  error(error: Error): void;
  /** A call succeeded. */
  worked(): void;
};

export type OutageListener = {
  onError(error: Error): void;
  /** A notice for the operator that is not an error. */
  onInfo?: ((text: string) => void) | undefined;
};

/** Errors of several connections mix with successes. */
const QUIET_MS = 3000;

export function createOutageLog(
  { onError, onInfo }: OutageListener,
  now: () => number = () => performance.now(),
): OutageLog {
  const throttle = createFailureThrottle({ quietMs: QUIET_MS });
  return {
    error(error) {
      const failures = throttle.failed(now());
      if (!failures) return;
      const { unreported } = failures;
      onError(
        unreported === 0
          ? error
          : new Error(`${error.message} (and ${unreported} more errors since)`, { cause: error }),
      );
    },
    worked() {
      const failures = throttle.succeeded(now());
      if (!failures) return;
      const { count } = failures;
      onInfo?.(`the store answers again, after ${count} ${count === 1 ? 'error' : 'errors'}`);
    },
  };
}
