import type { Db } from '@pts/db/client';
import { type AttemptOutcome, loadDue, recordAttempts } from '@pts/db/deliveries';
import type { OwedDelivery } from '@pts/db/messages';
import { DELIVER_QUEUE } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { startWorker } from '@pts/queue/worker';
import { startLoop } from '@pts/runtime/loop';
import { deliver } from './deliver.ts';
import type { DeliverDeps } from './deps.ts';
import { grouped } from './group.ts';
import { cancel, type SweepDeps, sweep } from './sweep.ts';

const STALE_MS = 120_000;
const CANCEL_EVERY_MS = 60_000;
/** Loads and records of this many deliveries share a statement (group commit). */
const GROUP = { waitMs: 2, most: 100 };

export type Dispatcher = { isLive(): boolean; stop(): Promise<void> };

type Options = {
  queue: QueueConnection;
  deps: Omit<DeliverDeps, 'load' | 'record'> & SweepDeps;
  concurrency: number;
  sweepIntervalMs: number;
};

/** Starts the worker that makes attempts, and the sweep that finds what was not woken. */
export function startDispatcher({ queue, deps, concurrency, sweepIntervalMs }: Options): Dispatcher {
  const deliverDeps: DeliverDeps = { ...deps, ...groupedStore(deps.db, deps.now) };
  const { logger, metrics } = deps;
  const worker = startWorker<'deliver'>(
    queue,
    DELIVER_QUEUE,
    { deliver: (job) => deliver(deliverDeps, job) },
    { concurrency },
    (err, job) => {
      if (job) metrics.jobFaults.inc({ job });
      logger.error({ err, job }, job ? 'job failed' : 'worker error');
    },
  );
  const loops = [
    startLoop('sweep', sweepIntervalMs, logger, () => sweep(deps)),
    startLoop('cancel', CANCEL_EVERY_MS, logger, () => cancel(deps)),
  ];
  return {
    isLive: () => worker.isRunning() && loops.every((loop) => loop.isAlive(STALE_MS)),
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
      await worker.close();
    },
  };
}

/** Many deliveries at once share their reads and their writes; each still waits until its own attempt is on disk. */
function groupedStore(db: Db, now: () => Date): Pick<DeliverDeps, 'load' | 'record'> {
  const load = grouped(GROUP, async (wanted: OwedDelivery[]) => {
    const due = new Map((await loadDue(db, wanted, now())).map((delivery) => [delivery.deliveryId, delivery]));
    return wanted.map(({ deliveryId }) => due.get(deliveryId) ?? null);
  });
  const record = grouped(GROUP, async (outcomes: AttemptOutcome[]) => {
    await recordAttempts(db, outcomes);
    return outcomes.map(() => undefined);
  });
  return { load, record };
}
