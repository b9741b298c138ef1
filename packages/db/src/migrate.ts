import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { showDatabaseAddress } from '@pts/core/settings';
import pg from 'pg';
import { messageOf } from './errors.ts';
import { DEADLINES, DeadlinePool, isTransactionPooled } from './pool.ts';

type MigrateOptions = Partial<Waiting> & {
  /** The server itself, or a pooler that keeps a session for each client. */
  databaseUrl: string;
  /** The folder with one folder a migration, as Prisma has it. */
  migrationsDir: string;
  onApplied?: (name: string) => void;
  /** Called with what is being done, and every `progressMs` with how far the statement that runs has come. */
  onProgress?: (line: string) => void;
  progressMs?: number;
};

const PROGRESS_MS = 15_000;
/**
 * Whoever waits behind a statement that waits for a lock gets on before a request times out (650 ms). And where both wait for
 * each other, PostgreSQL would end either of them after a second (`deadlock_timeout`).
 */
export const WAITING: Waiting = { lockMs: 500, patienceMs: 10 * 60_000 };

/**
 * Applies pending migrations like `prisma migrate deploy`: the same files, the same bookkeeping in `_prisma_migrations`.
 * Several processes may run it at once; all but one wait. Throws with what went wrong, never the password.
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const {
    databaseUrl,
    migrationsDir,
    onApplied,
    onProgress = () => {},
    progressMs = PROGRESS_MS,
    ...waiting
  } = options;
  const server = addressOf(databaseUrl);
  const migrations = await readMigrations(migrationsDir);
  const pool = new DeadlinePool({
    url: databaseUrl,
    poolSize: 2, // one migrates, the other one looks how far it has come
    statementMs: DEADLINES.migration,
    connectMs: 10_000,
  });
  try {
    if (await isTransactionPooled(databaseUrl)) throw new Error(POOLED);
    const client = await pool.connect();
    const watching = await watchProgress({ pool, client, everyMs: progressMs, tell: onProgress });
    try {
      const running = { ...WAITING, ...waiting, tell: onProgress };
      return { applied: await applyPending(client, migrations, running, onApplied) };
    } finally {
      await watching.stop();
      // Its locks and settings end with it.
      client.release(true);
    }
  } catch (error) {
    throw new Error(`could not migrate the database at ${server}: ${messageOf(error)}`);
  } finally {
    await pool.close();
  }
}

const POOLED =
  'this is a pooler in transaction mode, which loses locks between statements; set MIGRATE_DATABASE_URL to the PostgreSQL server itself';

async function applyPending(
  session: Session,
  migrations: readonly Migration[],
  running: Running,
  onApplied: (name: string) => void = () => {},
): Promise<string[]> {
  await session.query(SETTINGS);
  await takeLock(session, running);
  const history = await readHistory(session);
  const [baseline] = migrations;
  if (baseline && history.some(({ name }) => name < baseline.name)) throw new Error(TOO_OLD);
  const pending = migrations.filter((migration) => !isApplied(migration, history));
  for (const migration of pending) {
    const unfinished = history.filter(({ name }) => name === migration.name).at(-1);
    await apply(session, migration, unfinished, running);
    onApplied(migration.name);
  }
  return pending.map(({ name }) => name);
}

/** The role's own settings may be meant for short statements. */
const SETTINGS = 'SET search_path = public; SET statement_timeout = 0; SET lock_timeout = 0';
/** The number of Prisma's own lock: its tools wait for us, and we for them. */
const LOCK = 72707369;
const LOCK_POLL_MS = 250;

/** A statement that waits for the lock would hold up the concurrent building of an index, so it is tried instead. */
async function takeLock(session: Session, { patienceMs, tell }: Running): Promise<void> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    const { rows } = await session.query(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`);
    if (rows[0]?.taken) return;
    if (tries === 1) tell('another migration is running: this one waits for it');
    if (performance.now() - startedAt >= patienceMs)
      throw new Error('another migration is running; migrate again when it has ended');
    await sleep(LOCK_POLL_MS);
  }
}

/** Migrations that only the database knows are those of a later release. @throws if the file is not the one that was applied. */
function isApplied({ name, checksum }: Migration, history: readonly Recorded[]): boolean {
  const applied = history.filter((recorded) => recorded.name === name && recorded.isFinished);
  if (applied.length === 0) return false;
  if (applied.some((recorded) => recorded.checksum === checksum)) return true;
  throw new Error(
    `migration ${name} was changed after it had been applied here: restore its file. If the schema is right as it is: ` +
      `UPDATE public._prisma_migrations SET checksum = '${checksum}' WHERE migration_name = '${name}'`,
  );
}

/** The first line, perhaps with an explanation after a colon. */
const ONLINE = /^-- online(:[^\n]*|\s*)(\n|$)/;

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name, checksum, statements: splitStatements(sql), isOnline: ONLINE.test(sql) };
    }),
  );
}

/** Host, port and database, to name the server without its password. */
function addressOf(databaseUrl: string): string {
  const address = showDatabaseAddress(databaseUrl);
  if (address === null)
    throw new Error('DATABASE_URL must have the form postgresql://user:password@host:port/database');
  return address;
}

type Migration = Identity & {
  statements: string[];
  /** Its first line is `-- online`: each statement is a transaction of its own, so that indexes can be built concurrently. */
  isOnline: boolean;
};

type Waiting = {
  /** How long a statement waits for a lock. Whoever else wants the table waits behind it. */
  lockMs: number;
  /** How long a migration that gets no lock is tried again. */
  patienceMs: number;
};

type Running = Waiting & {
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
async function apply(
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

/** A statement that builds or drops an index without holding up writes, which cannot be part of a transaction. */
type IndexStatement = { kind: 'create' | 'drop'; name: string };

const CONCURRENTLY = /^(CREATE|DROP)\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?([\w."]+)/i;

/** @returns null for any other statement. */
function asIndexStatement(statement: string): IndexStatement | null {
  const [, verb, name] = CONCURRENTLY.exec(statement) ?? [];
  // Without a name of its own, it cannot be found again.
  if (verb === undefined || name === undefined || name.toUpperCase() === 'ON') return null;
  return { kind: verb.toUpperCase() === 'CREATE' ? 'create' : 'drop', name };
}

/** Whether the statement has nothing left to do. */
async function isDone(session: Session, { kind, name }: IndexStatement): Promise<boolean> {
  const isValid = await isValidIndex(session, name);
  return kind === 'create' ? isValid === true : isValid === null;
}

/** An interrupted build leaves an index that is written, but never used. */
async function dropInvalid(session: Session, { kind, name }: IndexStatement): Promise<void> {
  if (kind === 'create' && (await isValidIndex(session, name)) === false)
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
}

/** @returns null if there is no such index. */
async function isValidIndex(session: Session, name: string): Promise<boolean | null> {
  const { rows } = await session.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_catalog.pg_index WHERE indexrelid = to_regclass($1)',
    [name],
  );
  return rows[0]?.isValid ?? null;
}

/** What a semicolon may stand in, and the semicolon itself. */
const OPENINGS = /--|\/\*|'|"|\$\w*\$|;/g;
const CLOSINGS: Readonly<Record<string, string>> = { '--': '\n', '/*': '*/' };

/**
 * The statements of a migration, without its comments. Texts with escaped quotes (`E'\''`), nested comments and
 * function bodies without dollar quotes (`BEGIN ATOMIC`) are not understood.
 */
export function splitStatements(sql: string): string[] {
  const statements = [''];
  let from = 0;
  const add = (text: string) => statements.push((statements.pop() ?? '') + text);
  OPENINGS.lastIndex = 0;
  for (let found = OPENINGS.exec(sql); found !== null; found = OPENINGS.exec(sql)) {
    const [token] = found;
    add(sql.slice(from, found.index));
    from = found.index + token.length;
    if (token === ';') {
      statements.push('');
      continue;
    }
    const closing = CLOSINGS[token] ?? token;
    const end = sql.indexOf(closing, from);
    from = end < 0 ? sql.length : end + closing.length;
    OPENINGS.lastIndex = from;
    add(token in CLOSINGS ? '\n' : sql.slice(found.index, from));
  }
  add(sql.slice(from));
  return statements.map((text) => text.trim()).filter((text) => text !== '');
}

/** The session that runs the migrations. */
type Session = Pick<pg.ClientBase, 'query'>;

/** A row of Prisma's table that is not rolled back. */
type Recorded = {
  id: string;
  name: string;
  /** SHA-256 of the file, in hex. */
  checksum: string;
  isFinished: boolean;
  /** Of an online migration that is not finished: how many statements were applied. */
  steps: number;
};

/** What identifies a migration in the table. */
type Identity = Pick<Recorded, 'name' | 'checksum'>;

/** As Prisma creates it. */
const TABLE = `CREATE TABLE IF NOT EXISTS public._prisma_migrations (
  id varchar(36) PRIMARY KEY NOT NULL,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

/** Those of extensions do not matter. */
const OTHER_TABLES = `SELECT 1 FROM pg_catalog.pg_class c
  WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') LIMIT 1`;

/** Why a database is left alone whose migrations begin before those of this release. */
export const TOO_OLD =
  'the database was written by a release before 0.4.0, which cannot be upgraded, and nothing in it was changed: export the accounts ' +
  'with `accounts export` of the release that wrote it, and use an empty database';

/** Reads the table, and creates it in an empty database. @throws if the database belongs to something else. */
async function readHistory(session: Session): Promise<Recorded[]> {
  const { rows } = await session.query(`SELECT to_regclass('public._prisma_migrations') IS NULL AS missing`);
  if (rows[0]?.missing) {
    const { rowCount } = await session.query(OTHER_TABLES);
    if (rowCount)
      throw new Error(
        'the database has tables of something else (and no _prisma_migrations): use a database of its own',
      );
    await session.query(TABLE);
  }
  const recorded = await session.query<Recorded>(
    `SELECT id, migration_name AS name, checksum, finished_at IS NOT NULL AS "isFinished", applied_steps_count AS steps
     FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return recorded.rows;
}

/** Records that a migration begins. @returns the id of its row. */
async function recordStart(session: Session, { name, checksum }: Identity): Promise<string> {
  const id = randomUUID();
  await session.query(
    'INSERT INTO public._prisma_migrations (id, migration_name, checksum, started_at) VALUES ($1, $2, $3, clock_timestamp())',
    [id, name, checksum],
  );
  return id;
}

/** Records how many statements of an online migration are applied. */
async function recordSteps(session: Session, id: string, steps: number): Promise<void> {
  await session.query('UPDATE public._prisma_migrations SET applied_steps_count = $2 WHERE id = $1', [id, steps]);
}

/** Records success. To Prisma, a file is one step. */
async function recordEnd(session: Session, id: string): Promise<void> {
  await session.query(
    'UPDATE public._prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1, logs = NULL WHERE id = $1',
    [id],
  );
}

/** Records why a migration failed. */
async function recordFailure(session: Session, id: string, reason: string): Promise<void> {
  await session.query('UPDATE public._prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
}

/** Records that nothing of the unfinished runs of a migration was kept: it may run again. */
async function recordRollback(session: Session, name: string): Promise<void> {
  await session.query(
    `UPDATE public._prisma_migrations SET rolled_back_at = clock_timestamp()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
}

type Watched = {
  pool: pg.Pool;
  /** The session that migrates. */
  client: pg.ClientBase;
  everyMs: number;
  tell(line: string): void;
};

type Progress = { seconds: number; phase: string | null; percent: number | null };

/** A percentage is of the current phase: a concurrent build scans the table twice, and waits for writers in between. */
const PROGRESS = `
  SELECT extract(epoch FROM clock_timestamp() - a.query_start)::int AS seconds, p.phase,
    CASE WHEN p.blocks_total > 0 THEN 100 * p.blocks_done / p.blocks_total
         WHEN p.tuples_total > 0 THEN 100 * p.tuples_done / p.tuples_total
         WHEN p.lockers_total > 0 THEN 100 * p.lockers_done / p.lockers_total END::int AS percent
  FROM pg_stat_activity a LEFT JOIN pg_stat_progress_create_index p USING (pid)
  WHERE a.pid = $1 AND a.state = 'active' AND clock_timestamp() - a.query_start > $2 * interval '1 millisecond'`;

/** Tells regularly how far the statement of a session has come, as long as one takes longer than `everyMs`. */
async function watchProgress({ pool, client, everyMs, tell }: Watched): Promise<{ stop(): Promise<void> }> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const look = async () => {
    const seen = await pool.query<Progress>(PROGRESS, [rows[0]?.pid, everyMs]);
    for (const progress of seen.rows) tell(inWords(progress));
  };
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // That the progress cannot be read is no reason to stop.
    looking = looking.then(look).catch(() => {});
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return looking;
    },
  };
}

function inWords({ seconds, phase, percent }: Progress): string {
  const running = `the statement has been running for ${seconds} s`;
  if (phase === null) return running;
  return percent === null ? `${running}: ${phase}` : `${running}: ${phase}, ${percent} %`;
}
