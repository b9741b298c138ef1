import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** The session that runs the migrations. */
export type Session = Pick<pg.ClientBase, 'query'>;

/** A row of Prisma's table that is not rolled back. */
export type Recorded = {
  id: string;
  name: string;
  /** SHA-256 of the file, in hex. */
  checksum: string;
  isFinished: boolean;
  /** Of an online migration that is not finished: how many statements were applied. */
  steps: number;
};

/** What identifies a migration in the table. */
export type Identity = Pick<Recorded, 'name' | 'checksum'>;

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
export async function readHistory(session: Session): Promise<Recorded[]> {
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
export async function recordStart(session: Session, { name, checksum }: Identity): Promise<string> {
  const id = randomUUID();
  await session.query(
    'INSERT INTO public._prisma_migrations (id, migration_name, checksum, started_at) VALUES ($1, $2, $3, clock_timestamp())',
    [id, name, checksum],
  );
  return id;
}

/** Records how many statements of an online migration are applied. */
export async function recordSteps(session: Session, id: string, steps: number): Promise<void> {
  await session.query('UPDATE public._prisma_migrations SET applied_steps_count = $2 WHERE id = $1', [id, steps]);
}

/** Records success. To Prisma, a file is one step. */
export async function recordEnd(session: Session, id: string): Promise<void> {
  await session.query(
    'UPDATE public._prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1, logs = NULL WHERE id = $1',
    [id],
  );
}

/** Records why a migration failed. */
export async function recordFailure(session: Session, id: string, reason: string): Promise<void> {
  await session.query('UPDATE public._prisma_migrations SET logs = $2 WHERE id = $1', [id, reason]);
}

/** Records that nothing of the unfinished runs of a migration was kept: it may run again. */
export async function recordRollback(session: Session, name: string): Promise<void> {
  await session.query(
    `UPDATE public._prisma_migrations SET rolled_back_at = clock_timestamp()
     WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL`,
    [name],
  );
}
