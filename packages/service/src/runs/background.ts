import { isPassing } from '@pts/db/connection/client';
import { dueRuns, leaseEnd, type Run, type RunTable, releaseRun, renewRun } from '@pts/db/runs/leases';
import type { ServiceContext } from '../context.ts';

/** What everything that runs in the background needs. */
export type BackgroundContext = Pick<ServiceContext, 'db' | 'now'> & {
  /** Waits, or ends early when the process stops. */
  pause(ms: number): Promise<void>;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
};

/**
 * Called before each batch: whether a run has to make way for another one that waits, or because the process stops. Its turn begins
 * with the first call.
 */
export type MakesWay = () => Promise<boolean>;

const RENEW_EVERY_MS = 5000;
/** How long a run goes on while another one waits. */
const TURN_MS = 5000;
/** Other accounts have the database and the pollers, which check what a batch registered, for this many times as long as it took. */
const REST = 6;
const MAX_REST_MS = 600;
/** What fails for a reason of ours is repeated for this long from its start: the reason may be repaired meanwhile. */
const REPEATED_FOR_MS = 3_600_000;

/** A run of this process, and when the first run began. */
type Claimed = { run: Run; found: { startedAt: Date | null } };

/**
 * Does the work of a run, whose lease is renewed meanwhile. After an internal error another run goes on as after a kill, once the
 * lease would have ended, unless the first run began long ago and this one did not get further: then `end` ends it, because others
 * of its account wait behind it.
 * @throws the error, unless the run was cancelled or another process has it.
 */
export async function withLease(
  { db, now, stopping }: BackgroundContext,
  table: RunTable,
  { run, found }: Claimed,
  { work, end }: { work(makesWay: MakesWay): Promise<void>; end(): Promise<void> },
): Promise<void> {
  let beganAt: number | undefined;
  let batches = 0;
  const makesWay = async () => {
    batches += 1;
    if (stopping.aborted) return true;
    const at = now();
    beganAt ??= at.getTime();
    return at.getTime() - beganAt >= TURN_MS && (await dueRuns(db, table, at, 1)).length > 0;
  };
  const renewal = setInterval(() => void renewRun(db, table, run, now()).catch(() => {}), RENEW_EVERY_MS);
  try {
    await work(makesWay);
  } catch (error) {
    const release = () => releaseRun(db, table, run, leaseEnd(now()));
    if (isPassing(error)) {
      // The database may be away.
      await release().catch(() => {});
      throw error;
    }
    if (!(await renewRun(db, table, run, now()))) return;
    const isOld = now().getTime() - (found.startedAt ?? now()).getTime() >= REPEATED_FOR_MS;
    if (isOld && batches <= 1) await end();
    else await release();
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** Leaves the database to other accounts after a batch. @param startedAt of the batch (`performance.now()`). */
export async function rest({ pause }: BackgroundContext, startedAt: number): Promise<void> {
  await pause(Math.min(REST * (performance.now() - startedAt), MAX_REST_MS));
}
