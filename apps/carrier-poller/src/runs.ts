import { setTimeout as delay } from 'node:timers/promises';
import { dueRuns, type RunKey, type RunTable } from '@pts/db/run-leases';
import type { RunJob, RunKind } from '@pts/queue/catalog';
import { createWorkLoop, type WorkLoop } from '@pts/queue/loop';
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
  /** Starts a run as soon as there is a place for its kind. */
  start(run: RunJob): void;
  /** Starts what no process works on, as far as this one has places. */
  sweep(): Promise<{ more: false }>;
  /** Resolves once the runs of this process have stopped, each behind a batch: another process goes on from there. */
  stop(): Promise<void>;
};

type KindOf = { table: RunTable; run(ctx: Context, key: RunKey): Promise<void>; places: number };

/** The kinds of runs, and how many of each at once: beside an import that reads a long file, others go on. */
const KINDS: Record<RunKind, KindOf> = {
  import: { table: 'imports', run: runImport, places: 2 },
  'bulk-action': { table: 'bulk_actions', run: runBulkAction, places: 1 },
};

/**
 * Runs imports and bulk actions. A wake-up only says that one is due; the sweep finds those whose wake-up was lost,
 * that a killed process has left, and that wait for an earlier one of their account.
 */
export function createRuns(deps: RunDeps): Runs {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  const ctx = { ...deps, pause, stopping: signal };
  const loops = { import: loopOf(ctx, 'import'), 'bulk-action': loopOf(ctx, 'bulk-action') };
  return {
    start: ({ kind, ...key }) => void loops[kind].start(key),
    async sweep() {
      for (const kind of ['import', 'bulk-action'] as const) {
        const [due] = loops[kind].hasFree('prompt') ? await dueRuns(deps.db, KINDS[kind].table, deps.now(), 1) : [];
        if (due) loops[kind].start(due);
      }
      return { more: false };
    },
    async stop() {
      stopping.abort();
      await Promise.all(Object.values(loops).map((loop) => loop.close()));
    },
  };
}

function loopOf(deps: Omit<Context, 'reading'> & RunDeps, kind: RunKind): WorkLoop<RunKey> {
  const { run, places } = KINDS[kind];
  const { logger, metrics, took = () => false } = deps;
  const ctx: Context = { ...deps, reading: { holder: null } };
  return createWorkLoop({
    places,
    maxWaiting: places,
    run: (key) => run(ctx, key),
    keyOf: ({ id }) => id,
    onError: (err) => {
      if (took(err)) return;
      metrics.jobFaults.inc({ job: kind });
      logger.error({ err, job: kind }, 'job failed');
    },
  });
}
