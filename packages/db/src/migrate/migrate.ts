import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { showDatabaseAddress } from '@pts/core/settings';
import { openConnections } from '../connection/connections.ts';
import { DEADLINES } from '../connection/deadline.ts';
import { messageOf } from '../connection/message.ts';
import { isTransactionPooled } from '../connection/pooler.ts';
import { apply, type Migration, type Running, type Waiting } from './apply.ts';
import { watchProgress } from './progress.ts';
import { type Recorded, readHistory, type Session, TOO_OLD } from './recorded.ts';
import { splitStatements } from './split.ts';

export type MigrateOptions = Partial<Waiting> & {
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
  const { pool, close } = openConnections({
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
    await close();
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
