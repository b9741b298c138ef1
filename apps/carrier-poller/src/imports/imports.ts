import { setTimeout as delay } from 'node:timers/promises';
import { dueImports } from '@pts/db/imports/runs';
import { IMPORT_QUEUE } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { createExecutor } from '@pts/queue/executor';
import { type StartedWorker, startWorker } from '@pts/queue/worker';
import type { Logger } from '@pts/runtime/logger';
import type { Took } from '@pts/runtime/loop';
import { type RunContext, runImport } from '@pts/service/imports/run';

export type ImportDeps = Omit<RunContext, 'pause' | 'stopping'> & {
  logger: Logger;
  metrics: { jobFaults: { inc(labels: { job: string }): void } };
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
};

export type Imports = {
  worker: StartedWorker;
  /** Starts the imports that no process works on, as far as this one has places. */
  sweep(): Promise<{ more: false }>;
  /** Resolves once the imports of this process have stopped, each behind a batch: another process goes on from there. */
  stop(): Promise<void>;
};

/** Imports that a process works on at once. */
const PLACES = 1;

/**
 * Runs imports. A job only says that one is due; the sweep finds those whose job was lost, that a killed process has left, and that
 * wait for an earlier one of their account.
 */
export function startImports(queue: QueueConnection, deps: ImportDeps): Imports {
  const { db, logger, metrics, took = () => false, now } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const failed = (err: Error) => {
    if (took(err)) return;
    metrics.jobFaults.inc({ job: 'import' });
    logger.error({ err, job: 'import' }, 'job failed');
  };
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  const executor = createExecutor({ places: PLACES, mostWaiting: PLACES, onError: failed });
  const start = (id: string) => executor.start(() => runImport({ ...deps, pause, stopping: signal }, id), id);
  // The job does not wait for its import, which may take minutes: the queue stays free for the next ones.
  const worker = startWorker<'import'>(
    queue,
    IMPORT_QUEUE,
    { import: async ({ importId }) => void start(importId) },
    { concurrency: 1 },
    failed,
  );
  return {
    worker,
    async sweep() {
      if (!executor.hasFree()) return { more: false };
      const [id] = await dueImports(db, now(), 1);
      if (id !== undefined) start(id);
      return { more: false };
    },
    async stop() {
      stopping.abort();
      await Promise.all([executor.close(), worker.close()]);
    },
  };
}
