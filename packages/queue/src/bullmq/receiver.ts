import { within } from '@pts/db/pool';
import type { WorkerOptions } from 'bullmq';
import type { OutageLog } from '../health/outage-log.ts';
import type { Receiver, Woken } from '../store.ts';

/** How long closing waits for an unresponsive store. */
const CLOSE_MS = 4000;
/**
 * A job that is lost between its receipt and its removal, as with a killed process, is received again after the sum of
 * these.
 */
const LOCK_MS = 1500;
const LOOK_FOR_LOST_MS = 2500;

const OPTIONS = {
  // One at a time: a job is received and removed within a millisecond, and the removal of one is the receipt of the
  // next.
  concurrency: 1,
  lockDuration: LOCK_MS,
  stalledInterval: LOOK_FOR_LOST_MS,
  maxStalledCount: 10,
  drainDelay: 1,
  runRetryDelay: 100,
} as const;

/** The parts of BullMQ's worker that we use; the same on both stores. */
type BullWorker = {
  isRunning(): boolean;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'completed', listener: (job: { name: string; data: unknown }) => void): unknown;
};

/**
 * Receives the jobs of a queue. A job is removed before its work starts: a wake-up that is added from then on is a job
 * of its own, so that the queue may drop one that is added while the same one waits.
 */
export function receive(
  woken: Woken,
  outages: OutageLog,
  start: (run: () => Promise<void>, options: Omit<WorkerOptions, 'connection' | 'prefix'>) => BullWorker,
): Receiver {
  const worker = start(async () => {}, OPTIONS);
  worker.on('error', (error) => outages.error(error));
  worker.on('completed', ({ name, data }) => woken(name, data));
  return {
    isRunning: () => worker.isRunning(),
    close: () => within(CLOSE_MS, worker.close().catch(outages.error), () => {}),
  };
}
