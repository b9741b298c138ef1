import { within } from '@pts/db/pool';
import type { Processor } from 'bullmq';
import type { OutageLog } from '../health/outage-log.ts';
import type { WorkerHandle } from '../store.ts';

/** How long closing waits for an unresponsive store once no job is running. */
const CLOSE_MS = 4000;

/** The parts of BullMQ's worker that we use; the same on both stores. */
type BullWorker = {
  backend: { answers: number };
  isRunning(): boolean;
  close(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: { name: string } | undefined, error: Error) => void): unknown;
};

/** A worker that closes in bounded time whatever its store does, and that reports errors of the store sparingly. */
export function bounded(process: Processor, outages: OutageLog, start: (run: Processor) => BullWorker): WorkerHandle {
  let underWay = 0;
  let whenIdle = () => {};
  const worker = start(async (...job) => {
    underWay += 1;
    try {
      return await process(...job);
    } finally {
      underWay -= 1;
      if (underWay === 0) whenIdle();
    }
  });
  worker.on('error', (error) => outages.error(error));
  const idle = async () => {
    if (underWay > 0)
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
  };
  return {
    isRunning: () => worker.isRunning(),
    answers: () => worker.backend.answers,
    onFailed: (listener) => void worker.on('failed', (job, error) => listener(job?.name, error)),
    async close() {
      const closing = worker.close().catch(outages.error);
      await Promise.race([closing, idle()]);
      await within(CLOSE_MS, closing, () => {});
    },
  };
}
