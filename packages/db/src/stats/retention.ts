import { column, columns, type Db, rowsByIndex } from '../connection.ts';
import { Prisma } from '../generated/client.ts';

const DELETED = columns({ count: column<number>('count(*)::int') });

type Prune = { hoursBefore: Date; daysBefore: Date; batch: number };

/**
 * Deletes up to `batch` each of the counts of hours, those of days, those of endpoints, and transit times from before a moment. Locked rows are skipped.
 * @returns the number of deleted rows; fewer than `batch` means that none are left.
 */
export async function pruneStats(db: Db, { hoursBefore, daysBefore, batch }: Prune): Promise<number> {
  const [deleted] = await rowsByIndex(
    db,
    DELETED,
    (list) => Prisma.sql`
    WITH hours AS (DELETE FROM public.stat_counts ${oldest(COUNTS, OF_HOURS, hoursBefore, batch)}),
      days AS (DELETE FROM public.stat_counts ${oldest(COUNTS, OF_DAYS, daysBefore, batch)}),
      endpoints AS (DELETE FROM public.stat_endpoints ${oldest(ENDPOINTS, Prisma.empty, hoursBefore, batch)}),
      transits AS (DELETE FROM public.stat_transits ${oldest(TRANSITS, OF_DAYS, daysBefore, batch)}),
      weeks AS (DELETE FROM public.stat_transits ${oldest(TRANSITS, OF_WEEKS, daysBefore, batch)})
    SELECT ${list} FROM (
      SELECT * FROM hours UNION ALL SELECT * FROM days UNION ALL SELECT * FROM endpoints UNION ALL SELECT * FROM transits
      UNION ALL SELECT * FROM weeks) d`,
  );
  return deleted?.count ?? 0;
}

const COUNTS = Prisma.sql`public.stat_counts`;
const ENDPOINTS = Prisma.sql`public.stat_endpoints`;
const TRANSITS = Prisma.sql`public.stat_transits`;
const OF_HOURS = Prisma.sql`AND grain = 'hour'`;
const OF_DAYS = Prisma.sql`AND grain = 'day'`;
const OF_WEEKS = Prisma.sql`AND grain = 'week'`;

/** Account by account, because the key begins with it: one step for an account without old rows. */
function oldest(table: Prisma.Sql, which: Prisma.Sql, before: Date, batch: number): Prisma.Sql {
  return Prisma.sql`
    WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM public.accounts a CROSS JOIN LATERAL (
        SELECT ctid FROM ${table} WHERE account_id = a.id ${which} AND at < ${before.toISOString()}::timestamptz
        ORDER BY at LIMIT ${batch}::int FOR UPDATE SKIP LOCKED) old
      LIMIT ${batch}::int)) RETURNING 1`;
}
