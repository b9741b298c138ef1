/** Limits the log of an unreachable store: the first error, then a count every minute, and the recovery. */
export type OutageLog = {
  error(error: Error): void;
  /** A call succeeded. */
  worked(): void;
};

export type OutageListener = {
  onError(error: Error): void;
  /** A notice for the operator that is not an error. */
  onNotice?: ((text: string) => void) | undefined;
};

const REMIND_MS = 60_000;
/** Errors of several connections mix with successes; the outages is over after this long without an error. */
const QUIET_MS = 3000;

export function createOutageLog(
  { onError, onNotice }: OutageListener,
  now: () => number = () => performance.now(),
): OutageLog {
  let total = 0;
  let unsaid = 0;
  let lastAt = 0;
  let saidAt = 0;
  return {
    error(error) {
      total += 1;
      lastAt = now();
      if (total > 1 && lastAt - saidAt < REMIND_MS) {
        unsaid += 1;
        return;
      }
      saidAt = lastAt;
      onError(unsaid === 0 ? error : new Error(`${error.message} (and ${unsaid} more errors since)`, { cause: error }));
      unsaid = 0;
    },
    worked() {
      if (total === 0 || now() - lastAt < QUIET_MS) return;
      const errors = total;
      total = 0;
      unsaid = 0;
      onNotice?.(`the store answers again, after ${errors} ${errors === 1 ? 'error' : 'errors'}`);
    },
  };
}
