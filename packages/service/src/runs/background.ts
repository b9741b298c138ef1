import { type Run, type RunTable, renewRun } from '@pts/db/runs/leases';
import type { ServiceContext } from '../context.ts';

/** What everything that runs in the background needs. */
export type BackgroundContext = Pick<ServiceContext, 'db' | 'now'> & {
  /** Waits, or ends early when the process stops. */
  pause(ms: number): Promise<void>;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
};

const RENEW_EVERY_MS = 5000;
/** Other accounts have the database and the pollers, which check what a batch registered, for this many times as long as it took. */
const REST = 6;
const MAX_REST_MS = 600;

/** Does the work of a run, whose lease is renewed meanwhile. */
export async function withLease(
  { db, now }: BackgroundContext,
  table: RunTable,
  run: Run,
  work: () => Promise<void>,
): Promise<void> {
  const renewal = setInterval(() => void renewRun(db, table, run, now()).catch(() => {}), RENEW_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(renewal);
  }
}

/** Leaves the database to other accounts after a batch. @param startedAt of the batch (`performance.now()`). */
export async function rest({ pause }: BackgroundContext, startedAt: number): Promise<void> {
  await pause(Math.min(REST * (performance.now() - startedAt), MAX_REST_MS));
}
