import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { showDatabaseAddress } from '@pts/core/settings';
import pg from 'pg';
import { messageOf } from './errors.ts';
import { DEADLINES, DeadlinePool, isTransactionPooled } from './pool.ts';

type Options = {
  /** The server itself, or a pooler that keeps a session for each client. */
  databaseUrl: string;
  /** The folder with one folder a migration, as Prisma has it. */
  migrationsDir: string;
  onApplied?: (name: string) => void;
  /** Called with each wait for others, and every 15 s while a migration runs. */
  onProgress?: (line: string) => void;
  /** How long a statement waits for a lock, in milliseconds. Whoever else wants the table waits behind it. */
  lockMs?: number;
  /** How long a migration that gets no lock is tried again, in milliseconds. */
  patienceMs?: number;
};

/**
 * Whoever waits behind a statement that waits for a lock gets on before a request times out (650 ms). And where both
 * wait for each other, PostgreSQL would end either of them after a second (`deadlock_timeout`).
 */
export const WAITING = { lockMs: 500, patienceMs: 10 * 60_000 } as const;

/**
 * Applies pending migrations like `prisma migrate deploy`: the same files, the same lock, a row of `_prisma_migrations`
 * for each. Several processes may run it at once; all but one wait. A migration is one transaction with its record. One
 * that begins with `-- online` is not, so that it can build indexes concurrently and call procedures that commit: its
 * statements, each followed by an empty line, can be repeated (`IF NOT EXISTS`), because after a failure it runs from
 * its beginning.
 * @throws an Error that names the server without its password, the migration and the statement, and says what to do.
 */
export async function migrate(options: Options): Promise<{ applied: string[] }> {
  const { databaseUrl, migrationsDir, onApplied = () => {}, onProgress = () => {} } = options;
  const server = showDatabaseAddress(databaseUrl);
  if (server === null) throw new Error('DATABASE_URL must have the form postgresql://user:password@host:port/database');
  const migrations = await readMigrations(migrationsDir);
  const pool = new DeadlinePool({
    url: databaseUrl,
    poolSize: 1,
    statementMs: DEADLINES.migration,
    connectMs: 10_000,
  });
  try {
    if (await isTransactionPooled(databaseUrl)) throw new Error(POOLED);
    const session = await pool.connect();
    const run: Run = { ...WAITING, ...options, session, tell: onProgress };
    try {
      // The role's own settings may be meant for short statements.
      await session.query('SET search_path = public; SET statement_timeout = 0; SET lock_timeout = 0');
      await takeLock(run);
      const history = await readHistory(session);
      const [baseline] = migrations;
      if (baseline && history.some(({ name }) => name < baseline.name)) throw new Error(TOO_OLD);
      const pending = migrations.filter((migration) => !isApplied(migration, history));
      for (const migration of pending) {
        await apply(run, migration);
        onApplied(migration.name);
      }
      return { applied: pending.map(({ name }) => name) };
    } finally {
      // Its lock and settings end with it.
      session.release(true);
    }
  } catch (error) {
    throw new Error(`could not migrate the database at ${server}: ${messageOf(error)}`);
  } finally {
    await pool.close();
  }
}

type Run = { session: pg.ClientBase; lockMs: number; patienceMs: number; tell(line: string): void };

const POOLED =
  'this is a pooler in transaction mode, which loses locks between statements; set MIGRATE_DATABASE_URL to the PostgreSQL server itself';

type Migration = { name: string; sql: string /** SHA-256 of the file, in hex. */; checksum: string };

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/** The number of Prisma's own lock: its tools wait for us, and we for them. */
const LOCK = 72707369;
const LOCK_POLL_MS = 250;

/** A statement that waits for the lock would hold up the concurrent building of an index, so it is tried instead. */
async function takeLock({ session, patienceMs, tell }: Run): Promise<void> {
  const startedAt = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    const { rows } = await session.query(`SELECT pg_try_advisory_lock(${LOCK}) AS taken`);
    if (rows[0]?.taken) return;
    if (isFirst) tell('another migration is running: this one waits for it');
    if (performance.now() - startedAt >= patienceMs)
      throw new Error('another migration is running; migrate again when it has ended');
    await sleep(LOCK_POLL_MS);
  }
}

const PROGRESS_MS = 15_000;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
/** Between two attempts, for those who waited behind the first. */
const PAUSE_MS = { first: 250, max: 5000 };

/** Applies a migration and records it; tries again, after growing pauses, while others hold a lock that it needs. */
async function apply(run: Run, migration: Migration): Promise<void> {
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const about = `migration ${migration.name}`;
  const timer = setInterval(
    () => run.tell(`${about} has been running for ${Math.round(elapsedMs() / 1000)} s`),
    PROGRESS_MS,
  );
  const isOnline = migration.sql.startsWith('-- online');
  try {
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.max)) {
      try {
        return await (isOnline ? applyOnline : applyWhole)(run, migration);
      } catch (error) {
        const { fault, message } = error as StatementError;
        const kept = isOnline ? 'What it has done so far is kept, and can be repeated' : 'Nothing of it was kept';
        const isLocked = [LOCK_NOT_AVAILABLE, DEADLOCK].includes(codeOf(fault));
        if (!isLocked) throw new Error(`${about}: ${message}. ${kept}; fix the cause, and migrate again`);
        if (elapsedMs() >= run.patienceMs)
          throw new Error(
            `${about}: ${message}. ${kept}; end the transaction that holds the lock (pg_stat_activity shows the old ones), and migrate again`,
          );
        run.tell(`${about} got no lock, because others use the table; the next attempt follows in ${pauseMs} ms`);
        await sleep(pauseMs);
      }
    }
  } finally {
    clearInterval(timer);
  }
}

/** One transaction, which includes the record: whatever happens, both are there or neither is. */
async function applyWhole({ session, lockMs }: Run, migration: Migration): Promise<void> {
  await session.query('BEGIN');
  try {
    await session.query(`SET LOCAL lock_timeout = ${lockMs}`);
    await send(session, migration);
    await record(session, migration);
    await session.query('COMMIT');
  } catch (error) {
    await session.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Building an index concurrently holds nobody up while it waits for others, so there is no limit for locks. */
async function applyOnline({ session }: Run, migration: Migration): Promise<void> {
  await dropInvalidIndexes(session, migration);
  try {
    await send(session, migration);
  } catch (error) {
    await dropInvalidIndexes(session, migration).catch(() => {});
    throw error;
  }
  await record(session, migration);
}

/** An interrupted build leaves an index that slows down every write, is never used, and already exists. */
async function dropInvalidIndexes(session: pg.ClientBase, { sql }: Migration): Promise<void> {
  const { rows } = await session.query<{ name: string }>(
    `SELECT quote_ident(c.relname) AS name FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relkind = 'i' AND c.relnamespace = to_regnamespace('public') AND strpos($1, c.relname) > 0`,
    [sql],
  );
  for (const { name } of rows) await session.query(`DROP INDEX CONCURRENTLY public.${name}`);
}

/** Why a statement failed, and which one. */
class StatementError extends Error {
  readonly fault: unknown;
  constructor(fault: unknown, statement: string) {
    super(`${messageOf(fault)} (${statement.replace(/\s+/g, ' ').trim().slice(0, 200)})`);
    this.fault = fault;
  }
}

/** Sends a migration statement by statement, so that an error names its own. */
async function send(session: pg.ClientBase, { sql }: Migration): Promise<void> {
  for (const statement of sql.split(';\n\n'))
    await session.query(statement).catch((error) => {
      throw new StatementError(error, statement);
    });
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** A finished migration in Prisma's table. */
type Recorded = { name: string; checksum: string };

/**
 * Migrations that only the database knows are those of a later release.
 * @throws if the file is not the one that was applied.
 */
function isApplied({ name, checksum }: Migration, history: readonly Recorded[]): boolean {
  const applied = history.filter((recorded) => recorded.name === name);
  if (applied.length === 0) return false;
  if (applied.some((recorded) => recorded.checksum === checksum)) return true;
  throw new Error(
    `migration ${name} was changed after it had been applied here: restore its file. If the schema is right as it is: ` +
      `UPDATE public._prisma_migrations SET checksum = '${checksum}' WHERE migration_name = '${name}'`,
  );
}

/** The table of migrations, as Prisma creates it. */
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

/** Asks whether there are other tables. Tables of extensions do not matter. */
const OTHER_TABLES = `SELECT 1 FROM pg_catalog.pg_class c
  WHERE c.relnamespace = to_regnamespace('public') AND c.relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e') LIMIT 1`;

/** Why a database is left alone whose migrations begin before those of this release. */
export const TOO_OLD =
  'the database was written by a release before 0.4.0, which cannot be upgraded, and nothing in it was changed: export the accounts ' +
  'with `accounts export` of the release that wrote it, and use an empty database';

/** Reads the table, and creates it in an empty database. @throws if the database belongs to something else. */
async function readHistory(session: pg.ClientBase): Promise<Recorded[]> {
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
    `SELECT migration_name AS name, checksum FROM public._prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  return recorded.rows;
}

/** To Prisma, a file is one step. */
async function record(session: pg.ClientBase, { name, checksum }: Migration): Promise<void> {
  await session.query(
    `INSERT INTO public._prisma_migrations (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), name, checksum],
  );
}
