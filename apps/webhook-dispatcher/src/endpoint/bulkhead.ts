import { isSlow } from '@pts/core/webhook/concurrency-window';
import type { DeliverJob } from '@pts/queue/catalog';
import type { WakeTimers } from '../sweeps/wake-timers.ts';
import type { ConcurrencyWindows } from './concurrency-windows.ts';

const LOOK_AGAIN_MS = 1000;

export type Bulkhead = {
  /** Runs the work for an endpoint, or schedules it for a little later. */
  admit(job: DeliverJob, work: () => Promise<void>): Promise<void>;
  /** Endpoints that are being processed. */
  count(): number;
  /** Whether a failing or slow endpoint would get a place, too. */
  hasRoom(): boolean;
};

/**
 * Limits failing and slow endpoints to half of `places`, so that any number of them leaves room for the
 * others; and processes an endpoint only once at a time, in case the queue lost its deduplication state.
 */
export function createBulkhead(
  { windows, wakeTimers, now }: { windows: ConcurrencyWindows; wakeTimers: Pick<WakeTimers, 'at'>; now(): Date },
  places: number,
): Bulkhead {
  const underWay = new Map<string, Promise<void>>();
  let late = 0;
  const hasRoom = () => late < places / 2;
  return {
    count: () => underWay.size,
    hasRoom,
    async admit(job, work) {
      const isLate = job.isFailing || isSlow(windows.of(job.webhookId, job.isFailing));
      if (isLate && !hasRoom()) return wakeTimers.at(job, new Date(now().getTime() + LOOK_AGAIN_MS));
      if (isLate) late += 1;
      try {
        for (let other = underWay.get(job.webhookId); other; other = underWay.get(job.webhookId)) await other;
        let end = () => {};
        underWay.set(
          job.webhookId,
          new Promise((resolve) => {
            end = resolve;
          }),
        );
        try {
          await work();
        } finally {
          underWay.delete(job.webhookId);
          end();
        }
      } finally {
        if (isLate) late -= 1;
      }
    },
  };
}
