import type { DeliverJob } from '@pts/queue/catalog';

/** The sweep runs again long before then. */
const HORIZON_MS = 5000;

export type WakeTimers = {
  /** Wakes an endpoint when its next attempt is due, if that is soon. Later ones wait in Postgres only. */
  at(endpoint: DeliverJob, dueAt: Date): void;
  stop(): void;
};

/** One timer per endpoint, for the earliest due time; after a crash, the sweep of any process sets it again. */
export function createWakeTimers(wake: (endpoint: DeliverJob) => void, now: () => Date): WakeTimers {
  const set = new Map<string, { dueAt: number; timer: NodeJS.Timeout }>();
  return {
    at(endpoint, dueAt) {
      const due = dueAt.getTime();
      const known = set.get(endpoint.webhookId);
      const delayMs = due - now().getTime();
      if (delayMs > HORIZON_MS || (known && known.dueAt <= due)) return;
      clearTimeout(known?.timer);
      const ring = () => {
        set.delete(endpoint.webhookId);
        wake(endpoint);
      };
      // A timer may be a millisecond early, and would then find nothing due.
      set.set(endpoint.webhookId, { dueAt: due, timer: setTimeout(ring, Math.max(0, delayMs) + 1) });
    },
    stop() {
      for (const { timer } of set.values()) clearTimeout(timer);
      set.clear();
    },
  };
}
