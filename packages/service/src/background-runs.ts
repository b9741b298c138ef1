import { setImmediate as nextRound } from 'node:timers/promises';
import { isPassing } from '@pts/db/errors';
import { dueRuns, leaseEnd, type Run, type RunTable, releaseRun, renewRun } from '@pts/db/run-leases';
import type { ServiceContext } from './context.ts';

/** The context that everything that runs in the background needs. */
export type BackgroundContext = Pick<ServiceContext, 'db' | 'now'> & {
  /** Waits, or ends early when the process stops. */
  pause(ms: number): Promise<void>;
  /** Aborted when the process stops. */
  stopping: AbortSignal;
  /**
   * The run of this process that may go on with what precedes its first batch, however long others wait. A run that
   * makes way there begins it again, so without one that may finish, none would while others keep coming.
   */
  reading: { holder: string | null };
};

/** Where a run may end: if it was cancelled, if another process has it, to make way, or because the process stops. */
export type Stops = {
  /** Called after each slice of work. Other work on the thread gets its turn. @throws Stopped */
  checkpoint(): Promise<void>;
  /** Called before each batch, after which the place of the run is stored. @throws Stopped */
  nextBatch(): Promise<void>;
};

/** Ends the work of a run; `withLease` takes it. */
class Stopped extends Error {
  readonly makesWay: boolean;

  constructor({ makesWay }: { makesWay: boolean }) {
    super('a run has stopped');
    this.makesWay = makesWay;
  }
}

const RENEW_EVERY_MS = 5000;
/** How often checkpoints look at the database. */
const LOOK_EVERY_MS = 1000;
/** How long a run goes on while another one waits. */
const TURN_MS = 5000;
/**
 * Other accounts have the database, and the pollers, which check what a batch registered, for this many times as long
 * as it took. Somebody waits for what is only counted, and nothing follows from it.
 */
const REST = { work: 6, count: 1 } as const;
const MAX_REST_MS = 600;
/**
 * A run that fails for a reason of ours is repeated for this long from its start: the reason may be repaired meanwhile.
 */
const REPEATED_FOR_MS = 3_600_000;

/** A run of this process, and when the first run began. */
type Claimed = { run: Run; found: { startedAt: Date | null } };

/**
 * Does the work of a run, whose lease is renewed meanwhile. It ends at the next checkpoint once the lease is lost or
 * the run was cancelled; a run that makes way goes on behind those that wait. After an internal error another run goes
 * on as after a kill, once the lease would have ended, unless the first run began long ago and this one did not get
 * further: then `end` ends it, because others of its account wait behind it.
 * @throws the error, unless the run was cancelled or another process has it.
 */
export async function withLease(
  { db, now, stopping, reading }: BackgroundContext,
  table: RunTable,
  { run, found }: Claimed,
  { work, end }: { work(stops: Stops): Promise<void>; end(): Promise<void> },
): Promise<void> {
  let turnAt = now().getTime();
  let lookedAt = turnAt;
  let batches = 0;
  let isLost = false;
  const renew = async () => {
    isLost ||= !(await renewRun(db, table, run, now()));
  };
  const mayReadOn = () => {
    if (batches > 0) return false;
    reading.holder ??= run.holder;
    return reading.holder === run.holder;
  };
  const endReading = () => {
    if (reading.holder === run.holder) reading.holder = null;
  };
  const look = async () => {
    if (stopping.aborted) throw new Stopped({ makesWay: true });
    lookedAt = now().getTime();
    await renew();
    if (isLost) throw new Stopped({ makesWay: false });
    const isOver = lookedAt - turnAt >= TURN_MS && !mayReadOn();
    if (isOver && (await dueRuns(db, table, now(), 1)).length > 0) throw new Stopped({ makesWay: true });
  };
  const stops: Stops = {
    async checkpoint() {
      if (stopping.aborted || isLost || now().getTime() - lookedAt >= LOOK_EVERY_MS) await look();
      await nextRound();
    },
    async nextBatch() {
      if (batches === 0) turnAt = now().getTime();
      batches += 1;
      endReading();
      await look();
    },
  };
  const renewal = setInterval(() => void renew().catch(() => {}), RENEW_EVERY_MS);
  try {
    await work(stops);
  } catch (error) {
    const release = (from: Date) => releaseRun(db, table, run, from);
    if (error instanceof Stopped) {
      if (error.makesWay) await release(now());
      return;
    }
    if (isPassing(error)) {
      // The database may be away.
      await release(leaseEnd(now())).catch(() => {});
      throw error;
    }
    if (!(await renewRun(db, table, run, now()))) return;
    const isOld = now().getTime() - (found.startedAt ?? now()).getTime() >= REPEATED_FOR_MS;
    if (isOld && batches <= 1) await end();
    else await release(leaseEnd(now()));
    throw error;
  } finally {
    clearInterval(renewal);
    endReading();
  }
}

/** Leaves the database to other accounts after a batch. @param startedAt of the batch (`performance.now()`). */
export async function rest(
  { pause }: BackgroundContext,
  startedAt: number,
  after: keyof typeof REST = 'work',
): Promise<void> {
  await pause(Math.min(REST[after] * (performance.now() - startedAt), MAX_REST_MS));
}
