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
  /**
   * Called with each wait for others, with each statement of an online migration, and every 15 s while a statement
   * runs.
   */
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
 * Applies pending migrations like `prisma migrate deploy`: the same files, the same lock, the same bookkeeping in
 * `_prisma_migrations`. Several processes may run it at once; all but one wait. A migration is one transaction with its
 * record; of one that begins with `-- online`, each statement is recorded with its effect, so that indexes can be built
 * concurrently and the next run goes on.
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
    const client = await pool.connect();
    const run: Run = { ...WAITING, ...options, session: client, tell: onProgress };
    try {
      // The role's own settings may be meant for short statements.
      await client.query('SET search_path = public; SET statement_timeout = 0; SET lock_timeout = 0');
      await takeLock(run);
      const history = await readHistory(client);
      const [baseline] = migrations;
      if (baseline && history.some(({ name }) => name < baseline.name)) throw new Error(TOO_OLD);
      const pending = migrations.filter((migration) => !isApplied(migration, history));
      for (const migration of pending) {
        const unfinished = history.filter(({ name }) => name === migration.name).at(-1);
        await (migration.isOnline ? applyOnline(run, migration, unfinished) : applyWhole(run, migration));
        onApplied(migration.name);
      }
      return { applied: pending.map(({ name }) => name) };
    } finally {
      // Its lock and settings end with it.
      client.release(true);
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

type Migration = {
  name: string;
  /** SHA-256 of the file, in hex. */
  checksum: string;
  statements: string[];
  /** Its first line is `-- online`, perhaps with an explanation after a colon. */
  isOnline: boolean;
};

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name, checksum, statements: splitStatements(sql), isOnline: /^-- online(:[^\n]*|\s*)(\n|$)/.test(sql) };
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

const OWN_TRANSACTION = /^(BEGIN|START\s+TRANSACTION|COMMIT|END|ROLLBACK|ABORT)\b/i;

/** One transaction, which includes its record: whatever happens, both are there or neither is. */
async function applyWhole(run: Run, migration: Migration): Promise<void> {
  const { session } = run;
  const { name, statements } = migration;
  const own = statements.find((statement) => OWN_TRANSACTION.test(statement));
  if (own)
    throw new Error(`migration ${name} is one transaction already: remove its ${own}, or begin it with "-- online"`);
  let step = 0;
  try {
    await despiteLocks(run, name, () =>
      inTransaction(run, async () => {
        await recordRollback(session, name);
        const id = await recordStart(session, migration);
        for (step = 0; step < statements.length; step += 1) await send(run, migration, step);
        await record(session, id, ENDED, 1);
      }),
    );
  } catch (error) {
    const reason = `${faultOf(error, migration, step)}. Nothing of it was kept; ${adviceFor(error)}`;
    await inTransaction(run, async () => {
      await record(session, await recordStart(session, migration), FAILED, reason);
      await recordRollback(session, name);
    }).catch(() => {});
    throw new Error(reason);
  }
}

/** A statement that builds or drops an index without holding up writes cannot be part of a transaction. */
const CONCURRENTLY = /^(CREATE|DROP)\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?([\w."]+)/i;

/** Each statement is recorded with its effect, so that the next run goes on after the last one. */
async function applyOnline(run: Run, migration: Migration, unfinished: Recorded | undefined): Promise<void> {
  const { session, tell } = run;
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
    tell(`migration ${name}, statement ${step + 1} of ${statements.length}: ${inShort(statement)}`);
    const [, , index] = CONCURRENTLY.exec(statement) ?? [];
    const wasInterrupted = unfinished !== undefined && step === done;
    const apply = async () => {
      // A procedure commits its parts itself, and can be called again after an interruption.
      if (/^CALL\b/i.test(statement)) await send(run, migration, step);
      // Without a name of its own, an index cannot be found again.
      else if (index !== undefined && index.toUpperCase() !== 'ON')
        await sendIndex(run, migration, step, wasInterrupted);
      else
        return inTransaction(run, async () => {
          await send(run, migration, step);
          await record(session, id, STEPS, step + 1);
        });
      return record(session, id, STEPS, step + 1);
    };
    try {
      await despiteLocks(run, name, apply);
    } catch (error) {
      const applied = step === 0 ? 'No statement of it is applied' : `${step} of its statements are applied`;
      const reason = `${faultOf(error, migration, step)}. ${applied}; the next run goes on from there; ${adviceFor(error)}`;
      await record(session, id, FAILED, reason).catch(() => {});
      throw new Error(reason);
    }
  }
  await record(session, id, ENDED, 1);
}

/** Builds or drops an index concurrently: it holds nobody up while it waits, so it needs no limit. */
async function sendIndex(run: Run, migration: Migration, step: number, wasInterrupted: boolean): Promise<void> {
  const statement = migration.statements[step] as string;
  const [, verb = '', index = ''] = CONCURRENTLY.exec(statement) ?? [];
  const isCreated = /^C/i.test(verb);
  // An interrupted build leaves an index that slows down every write, and is never used.
  const dropInvalid = async () => {
    const { rows } = await run.session.query(
      'SELECT FROM pg_catalog.pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [index],
    );
    if (isCreated && rows.length > 0) await run.session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  };
  await dropInvalid();
  // What was interrupted may have been done, and not been recorded.
  const condition = isCreated ? 'IF NOT EXISTS' : 'IF EXISTS';
  const again = statement.replace(/CONCURRENTLY\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?/i, `CONCURRENTLY ${condition} `);
  try {
    await send(run, migration, step, wasInterrupted ? again : statement);
  } catch (error) {
    await dropInvalid().catch(() => {});
    throw error;
  }
}

const PROGRESS_MS = 15_000;

async function send(
  { session, tell }: Run,
  { name, statements }: Migration,
  step: number,
  text = statements[step] as string,
): Promise<void> {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const where = `migration ${name}, statement ${step + 1} of ${statements.length}`;
  const timer = setInterval(() => tell(`${where} has been running for ${seconds()} s`), PROGRESS_MS);
  try {
    await session.query(text);
  } finally {
    clearInterval(timer);
  }
}

async function inTransaction({ session, lockMs }: Run, work: () => Promise<void>): Promise<void> {
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

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const NO_TRANSACTION = '25001';
/** Between two attempts, for those who waited behind the first. */
const PAUSE_MS = { first: 250, max: 5000 };

/** Tries again, after growing pauses, what failed because others hold a lock. */
async function despiteLocks({ patienceMs, tell }: Run, name: string, work: () => Promise<void>): Promise<void> {
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
  return statement.replace(/\s+/g, ' ').slice(0, 200);
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

/** A row of Prisma's table that is not rolled back. */
type Recorded = {
  id: string;
  name: string;
  checksum: string;
  isFinished: boolean;
  /** Number of statements that were applied, for an online migration that is not finished. */
  steps: number;
};

/**
 * Migrations that only the database knows are those of a later release.
 * @throws if the file is not the one that was applied.
 */
function isApplied({ name, checksum }: Migration, history: readonly Recorded[]): boolean {
  const applied = history.filter((recorded) => recorded.name === name && recorded.isFinished);
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
    `SELECT id, migration_name AS name, checksum, finished_at IS NOT NULL AS "isFinished", applied_steps_count AS steps
     FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return recorded.rows;
}

/** Records that a migration begins. @returns the id of its row. */
async function recordStart(session: pg.ClientBase, { name, checksum }: Migration): Promise<string> {
  const id = randomUUID();
  await session.query(
    'INSERT INTO public._prisma_migrations (id, migration_name, checksum, started_at) VALUES ($1, $2, $3, clock_timestamp())',
    [id, name, checksum],
  );
  return id;
}

/** Records how far a migration has come. */
async function record(session: pg.ClientBase, id: string, set: string, value: number | string): Promise<void> {
  await session.query(`UPDATE public._prisma_migrations SET ${set} WHERE id = $1`, [id, value]);
}

const STEPS = 'applied_steps_count = $2';
const FAILED = 'logs = $2';
/** To Prisma, a file is one step. */
const ENDED = 'finished_at = clock_timestamp(), applied_steps_count = $2, logs = NULL';

/** Records that nothing of the unfinished runs of a migration was kept: it may run again. */
async function recordRollback(session: pg.ClientBase, name: string): Promise<void> {
  await session.query(
    `UPDATE public._prisma_migrations SET rolled_back_at = clock_timestamp()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
}

/** The beginnings of everything that a semicolon may stand in, and the semicolon itself. */
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
