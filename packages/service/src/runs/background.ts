import { dueRuns, type Run, type RunTable, renewRun } from '@pts/db/runs/leases';
import type { ServiceContext } from '../context.ts';

/** What everything that runs in the background needs. */
export type BackgroundContext = Pick<ServiceContext, 'db' | 'now'> & {
  /** Waits, or ends early when the process stops. */
  pause(ms: number): Promise<void>;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
};

/** Whether a run has to make way: for another one that waits, or because the process stops. Its turn begins with the first call. */
export type MakesWay = () => Promise<boolean>;

const RENEW_EVERY_MS = 5000;
/** How long a run goes on while another one waits. */
const TURN_MS = 5000;
/** Other accounts have the database and the pollers, which check what a batch registered, for this many times as long as it took. */
const REST = 6;
const MAX_REST_MS = 600;

/** Does the work of a run, whose lease is renewed meanwhile. */
export async function withLease(
  { db, now, stopping }: BackgroundContext,
  table: RunTable,
  run: Run,
  work: (makesWay: MakesWay) => Promise<void>,
): Promise<void> {
  let beganAt: number | undefined;
  const makesWay = async () => {
    if (stopping.aborted) return true;
    const at = now();
    beganAt ??= at.getTime();
    return at.getTime() - beganAt >= TURN_MS && (await dueRuns(db, table, at, 1)).length > 0;
  };
  const renewal = setInterval(() => void renewRun(db, table, run, now()).catch(() => {}), RENEW_EVERY_MS);
  try {
    await work(makesWay);
  } finally {
    clearInterval(renewal);
  }
}

/** Leaves the database to other accounts after a batch. @param startedAt of the batch (`performance.now()`). */
export async function rest({ pause }: BackgroundContext, startedAt: number): Promise<void> {
  await pause(Math.min(REST * (performance.now() - startedAt), MAX_REST_MS));
}
