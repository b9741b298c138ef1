import { column, columns, type Db, instant, rows, type Tx } from './connection.ts';
import { Prisma } from './generated/client.ts';
import { freshId } from './ids.ts';

/** The tables of what runs in the background: a row waits (`queued`), is worked on (`running`), or has ended. */
export type RunTable = 'imports' | 'bulk_actions';

/** The key of a run that is under way or waits, with its account. */
export type RunKey = { id: string; accountId: string };
/** A run of this process. */
export type Run = RunKey & { holder: string };

/** How long a run is left alone that does not renew its lease: its process is gone. */
const LEASE_MS = 15_000;

/** The end of a lease that begins or is renewed now. */
export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/**
 * The condition for a row named `r` to be due: it has not ended, no process works on it, and every earlier row of its
 * account has ended.
 */
function isDue(table: Prisma.Sql, now: Date): Prisma.Sql {
  return Prisma.sql`r.state IN ('queued', 'running') AND (r.leased_until IS NULL OR r.leased_until <= ${instant(now)})
    AND NOT EXISTS (SELECT 1 FROM ${table} e WHERE e.account_id = r.account_id
      AND e.state IN ('queued', 'running') AND (e.created_at, e.id) < (r.created_at, r.id))`;
}

const DUE = columns({ id: column<string>('r.id'), accountId: column<string>('r.account_id') });

/**
 * Runs that no process works on and that wait for no earlier one of their account: first those that have not begun,
 * then those that have waited longest for their turn.
 */
export async function dueRuns(db: Db, name: RunTable, now: Date, limit: number): Promise<RunKey[]> {
  const table = tableOf(name);
  return rows(
    db,
    DUE,
    (list) => Prisma.sql`
      SELECT ${list} FROM ${table} r WHERE ${isDue(table, now)}
      ORDER BY r.leased_until NULLS FIRST, r.created_at LIMIT ${limit}`,
  );
}

const CLAIMED = columns({
  leasedBefore: column<Date | null>('c.leased_until'),
  isLost: column<boolean>("c.state = 'running' AND c.holder IS NOT NULL"),
});

/**
 * Takes what is due.
 * @returns the run, when the lease of the run before it ended (null: there was none), and whether that one is lost: its
 *   process was killed, or hangs; null if it is not due.
 */
export async function claimRun(
  db: Db,
  name: RunTable,
  { id, accountId }: RunKey,
  now: Date,
): Promise<{ run: Run; leasedBefore: Date | null; isLost: boolean } | null> {
  const table = tableOf(name);
  const holder = freshId(now);
  const [claimed] = await rows(
    db,
    CLAIMED,
    (list) => Prisma.sql`
      WITH c AS (
        SELECT r.id, r.state, r.holder, r.leased_until FROM ${table} r WHERE r.id = ${id} AND r.account_id = ${accountId} AND ${isDue(table, now)} FOR UPDATE)
      UPDATE ${table} t SET state = 'running', holder = ${holder}, leased_until = ${instant(leaseEnd(now))},
        started_at = COALESCE(t.started_at, ${instant(now)})
      FROM c WHERE t.id = c.id AND t.account_id = ${accountId} RETURNING ${list}`,
  );
  return claimed ? { run: { id, accountId, holder }, ...claimed } : null;
}

/** Continues the lease of a run. @returns false if the run is no longer this process's, or was cancelled. */
export async function renewRun(db: Pick<Tx, '$executeRaw'>, name: RunTable, run: Run, now: Date): Promise<boolean> {
  const count = await db.$executeRaw`
    UPDATE ${tableOf(name)} SET leased_until = ${instant(leaseEnd(now))}
    WHERE account_id = ${run.accountId} AND ${isHeld(run)}`;
  return count > 0;
}

/**
 * Gives a run to any process, from a time on, behind those that wait already. A renewal that is under way finds it no
 * longer held.
 */
export async function releaseRun(db: Pick<Tx, '$executeRaw'>, name: RunTable, run: Run, from: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE ${tableOf(name)} SET holder = NULL, leased_until = ${instant(from)} WHERE account_id = ${run.accountId} AND ${isHeld(run)}`;
}

function isHeld({ id, holder }: Run): Prisma.Sql {
  return Prisma.sql`id = ${id} AND holder = ${holder} AND state = 'running'`;
}

function tableOf(name: RunTable): Prisma.Sql {
  return Prisma.raw(`public.${name}`);
}
