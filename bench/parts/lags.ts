import type { ConnectedProvider } from '@pts/carriers/provider';
import { readDueTimes } from '@pts/db/checks/spread';
import type { Db } from '@pts/db/connection/client';

/** How late checks are: from the time that a check is due to its call. */
export type Lags = {
  /** The provider, whose calls are measured. */
  measured(provider: ConnectedProvider): ConnectedProvider;
  /** Reads when the checks are due next; at least twice an interval. */
  look(): Promise<void>;
  /** The lags since the last call of this, in milliseconds, by provider. */
  take(): Map<string, number[]>;
};

type Known = { dueMs: number | undefined; claimedMs: number | undefined };

export function measureLags(db: Db): Lags {
  const known = new Map<string, Known>();
  let lags = new Map<string, number[]>();

  function note(provider: string, number: string): void {
    const check = known.get(`${provider} ${number}`);
    const dueMs = check?.claimedMs ?? check?.dueMs;
    if (check === undefined || dueMs === undefined || dueMs > Date.now()) return;
    lags.set(provider, [...(lags.get(provider) ?? []), Date.now() - dueMs]);
    check.dueMs = undefined;
    check.claimedMs = undefined;
  }

  return {
    measured: (provider) => ({
      ...provider,
      ask: (questions, signal) => {
        for (const { number } of questions) note(provider.name, number);
        return provider.ask(questions, signal);
      },
    }),
    async look() {
      const checks = await readDueTimes(db);
      for (const { provider, trackingNumber, dueAt } of checks) {
        const key = `${provider} ${trackingNumber}`;
        const check = known.get(key) ?? { dueMs: undefined, claimedMs: undefined };
        const nextMs = dueAt.getTime();
        // Claimed since the last look; the call follows.
        if (check.dueMs !== undefined && check.dueMs !== nextMs && check.dueMs <= Date.now())
          check.claimedMs ??= check.dueMs;
        check.dueMs = nextMs;
        known.set(key, check);
      }
    },
    take() {
      const taken = lags;
      lags = new Map();
      return taken;
    },
  };
}
