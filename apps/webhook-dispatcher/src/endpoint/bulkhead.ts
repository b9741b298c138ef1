import { isSlow } from '@pts/core/webhook/endpoint';
import type { DeliverJob } from '@pts/queue/catalog';
import type { WakeTimers } from '../sweeps/wake-timers.ts';
import type { ConcurrencyWindows } from './concurrency-windows.ts';

const LOOK_AGAIN_MS = 1000;

export type Bulkhead = {
  /** Runs the work for an endpoint, or schedules it for a little later. */
  admit(job: DeliverJob, work: () => Promise<void>): Promise<void>;
  /** Whether a failing or slow endpoint would get a place, too. */
  hasRoom(): boolean;
};

/** Limits failing and slow endpoints to half of `places`, so that any number of them leaves room for the others. */
export function createBulkhead(
  { windows, wakeTimers, now }: { windows: ConcurrencyWindows; wakeTimers: Pick<WakeTimers, 'at'>; now(): Date },
  places: number,
): Bulkhead {
  let late = 0;
  const hasRoom = () => late < places / 2;
  return {
    hasRoom,
    async admit(job, work) {
      const isLate = job.isFailing || isSlow(windows.of(job.webhookId, job.isFailing));
      if (isLate && !hasRoom()) return wakeTimers.at(job, new Date(now().getTime() + LOOK_AGAIN_MS));
      if (isLate) late += 1;
      try {
        await work();
      } finally {
        if (isLate) late -= 1;
      }
    },
  };
}
