import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { messageOf } from '../connection/message.ts';
import { asIndexStatement, dropInvalid, isDone } from './online-index.ts';
import {
  type Identity,
  type Recorded,
  recordEnd,
  recordFailure,
  recordRollback,
  recordStart,
  recordSteps,
  type Session,
} from './recorded.ts';

export type Migration = Identity & {
  statements: string[];
  /** Its first line is `-- online`: each statement is a transaction of its own, so that indexes can be built concurrently. */
  isOnline: boolean;
};

export type Waiting = {
  /** How long a statement waits for a lock. Whoever else wants the table waits behind it. */
  lockMs: number;
  /** How long a migration that gets no lock is tried again. */
  patienceMs: number;
};

export type Running = Waiting & {
  /** Called with each statement of an online migration, and with each pause after a lock that was not granted. */
  tell(line: string): void;
};

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const NO_TRANSACTION = '25001';
/** Between two attempts, for those who waited behind the first. */
const PAUSE_MS = { first: 250, max: 5000 };
const OWN_TRANSACTION = /^(BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|ABORT)\b/i;
const CALL = /^CALL\b/i;
const SHOWN_CHARACTERS = 200;

/**
 * Applies a migration and records it.
 * @param unfinished the row of an earlier run of it that has not ended.
 * @throws an Error that names the migration and the statement, and says what to do.
 */
export async function apply(
  session: Session,
  migration: Migration,
  unfinished: Recorded | undefined,
  running: Running,
): Promise<void> {
  if (migration.isOnline) await applyOnline(session, migration, unfinished, running);
  else await applyWhole(session, migration, running);
}

/** One transaction, which includes its record: whatever happens, both are there or neither is. */
async function applyWhole(session: Session, migration: Migration, running: Running): Promise<void> {
  const { name, statements } = migration;
  const own = statements.find((statement) => OWN_TRANSACTION.test(statement));
  if (own)
    throw new Error(`migration ${name} is one transaction already: remove its ${own}, or begin it with "-- online"`);
  let step = 0;
  try {
    await despiteLocks(name, running, () =>
      inTransaction(session, running.lockMs, async () => {
        await recordRollback(session, name);
        const id = await recordStart(session, migration);
        for (step = 0; step < statements.length; step += 1) await session.query(statements[step] as string);
        await recordEnd(session, id);
      }),
    );
  } catch (error) {
    const reason = `${faultOf(error, migration, step)}. Nothing of it was kept; ${adviceFor(error)}`;
    await inTransaction(session, running.lockMs, async () => {
      await recordFailure(session, await recordStart(session, migration), reason);
      await recordRollback(session, name);
    }).catch(() => {});
    throw new Error(reason);
  }
}

/** Each statement is recorded with its effect, so that the next run goes on after the last one. */
async function applyOnline(
  session: Session,
  migration: Migration,
  unfinished: Recorded | undefined,
  running: Running,
): Promise<void> {
  const { name, checksum, statements } = migration;
  const done = unfinished?.steps ?? 0;
  if (done > 0 && unfinished?.checksum !== checksum)
    throw new Error(
      `migration ${name} was changed after ${done} of its statements had been applied: restore its file, or undo them and ` +
        `set rolled_back_at of its row in _prisma_migrations`,
    );
  if (done === 0) await recordRollback(session, name);
  const id = done > 0 && unfinished ? unfinished.id : await recordStart(session, migration);
  for (let step = done; step < statements.length; step += 1) {
    const statement = statements[step] as string;
    const wasInterrupted = unfinished !== undefined && step === done;
    running.tell(`migration ${name}, statement ${step + 1} of ${statements.length}: ${inShort(statement)}`);
    try {
      await despiteLocks(name, running, () => runOnline(session, { id, step, statement, wasInterrupted }, running));
    } catch (error) {
      const applied = step === 0 ? 'No statement of it is applied' : `${step} of its statements are applied`;
      const reason = `${faultOf(error, migration, step)}. ${applied}; the next run goes on from there; ${adviceFor(error)}`;
      await recordFailure(session, id, reason).catch(() => {});
      throw new Error(reason);
    }
  }
  await recordEnd(session, id);
}

type OnlineStep = { id: string; step: number; statement: string; wasInterrupted: boolean };

async function runOnline(session: Session, { id, step, statement, wasInterrupted }: OnlineStep, { lockMs }: Waiting) {
  // A procedure commits its parts itself, and can be called again after an interruption.
  if (CALL.test(statement)) {
    await session.query(statement);
    return recordSteps(session, id, step + 1);
  }
  const index = asIndexStatement(statement);
  if (index === null)
    return inTransaction(session, lockMs, async () => {
      await session.query(statement);
      await recordSteps(session, id, step + 1);
    });
  // It holds nobody up while it waits, so it needs no limit.
  await dropInvalid(session, index);
  if (!(wasInterrupted && (await isDone(session, index)))) {
    try {
      await session.query(statement);
    } catch (error) {
      // It would slow down every write.
      await dropInvalid(session, index).catch(() => {});
      throw error;
    }
  }
  await recordSteps(session, id, step + 1);
}

async function inTransaction(session: Session, lockMs: number, work: () => Promise<void>): Promise<void> {
  await session.query('BEGIN');
  try {
    await session.query(`SET LOCAL lock_timeout = ${lockMs}`);
    await work();
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Tries again, after growing pauses, what failed because others hold a lock. */
async function despiteLocks(name: string, { patienceMs, tell }: Running, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.max)) {
    try {
      return await work();
    } catch (error) {
      const isLocked = [LOCK_NOT_AVAILABLE, DEADLOCK].includes(codeOf(error));
      if (!isLocked || performance.now() - startedAt >= patienceMs) throw error;
      tell(`migration ${name} got no lock, because others use the table; the next attempt follows in ${pauseMs} ms`);
      await sleep(pauseMs);
    }
  }
}

function faultOf(error: unknown, { name, statements }: Migration, step: number): string {
  const statement = statements[step];
  const place =
    statement === undefined ? 'at its end' : `statement ${step + 1} of ${statements.length}: ${inShort(statement)}`;
  return `migration ${name}: ${messageOf(error)} (${place})`;
}

function inShort(statement: string): string {
  return statement.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
}

function adviceFor(error: unknown): string {
  const code = codeOf(error);
  if (code === LOCK_NOT_AVAILABLE)
    return 'end the transaction that holds the lock (pg_stat_activity shows the old ones), and migrate again';
  if (code === NO_TRANSACTION) return 'begin its file with "-- online", and migrate again';
  return 'fix the cause, and migrate again';
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}
