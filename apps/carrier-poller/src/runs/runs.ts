import { setTimeout as delay } from 'node:timers/promises';
import { dueRuns, type RunKey, type RunTable } from '@pts/db/run-leases';
import { BACKGROUND_QUEUE, type RunKind } from '@pts/queue/catalog';
import type { QueueConnection } from '@pts/queue/connection';
import { createExecutor } from '@pts/queue/executor';
import { type StartedWorker, startWorker } from '@pts/queue/worker';
import type { Logger } from '@pts/runtime/logger';
import type { Took } from '@pts/runtime/process/loop';
import { type BulkActionContext, runBulkAction } from '@pts/service/bulk-actions';
import { type RunContext, runImport } from '@pts/service/imports';

type Context = RunContext & BulkActionContext;

export type RunDeps = Omit<Context, 'pause' | 'stopping' | 'reading'> & {
  logger: Logger;
  metrics: { jobFaults: { inc(labels: { job: string }): void } };
  /** Reports outages of the database. Default: nothing does. */
  took?: Took;
};

export type Runs = {
  worker: StartedWorker;
  /** Starts what no process works on, as far as this one has places. */
  sweep(): Promise<{ more: false }>;
  /** Resolves once the runs of this process have stopped, each behind a batch: another process goes on from there. */
  stop(): Promise<void>;
};

type KindOf = { table: RunTable; run(ctx: Context, key: RunKey): Promise<void>; places: number };

/** What runs, and how many of a kind at once: beside an import that reads a long file, others go on. */
const KINDS: Record<RunKind, KindOf> = {
  import: { table: 'imports', run: runImport, places: 2 },
  'bulk-action': { table: 'bulk_actions', run: runBulkAction, places: 1 },
};

/**
 * Runs imports and bulk actions. A job only says that one is due; the sweep finds those whose job was lost, that a killed process has
 * left, and that wait for an earlier one of their account.
 */
export function startRuns(queue: QueueConnection, deps: RunDeps): Runs {
  const { logger, metrics, took = () => false } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const failed = (err: Error, job = 'run') => {
    if (took(err)) return;
    metrics.jobFaults.inc({ job });
    logger.error({ err, job }, 'job failed');
  };
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  const ctx = { ...deps, pause, stopping: signal };
  const kinds: Record<RunKind, Kind> = {
    import: openKind(ctx, 'import', failed),
    'bulk-action': openKind(ctx, 'bulk-action', failed),
  };
  const worker = startWorker<'run'>(
    queue,
    BACKGROUND_QUEUE,
    // The job does not wait for its run, which may take minutes: the queue stays free for the next ones.
    { run: async ({ kind, ...key }) => kinds[kind].start(key) },
    { concurrency: 1 },
    failed,
  );
  return {
    worker,
    async sweep() {
      for (const { sweep } of Object.values(kinds)) await sweep();
      return { more: false };
    },
    async stop() {
      stopping.abort();
      await Promise.all([...Object.values(kinds).map(({ close }) => close()), worker.close()]);
    },
  };
}

type Kind = { start(key: RunKey): void; sweep(): Promise<void>; close(): Promise<void> };

function openKind(deps: Omit<Context, 'reading'>, kind: RunKind, failed: (error: Error, job: string) => void): Kind {
  const { table, run, places } = KINDS[kind];
  const ctx: Context = { ...deps, reading: { holder: null } };
  const { start, hasFree, close } = createExecutor({
    places,
    maxWaiting: places,
    onError: (error) => failed(error, kind),
  });
  const begin = (key: RunKey) => void start(() => run(ctx, key), key.id);
  return {
    start: begin,
    async sweep() {
      const [due] = hasFree() ? await dueRuns(ctx.db, table, ctx.now(), 1) : [];
      if (due) begin(due);
    },
    close,
  };
}
