import { rowsByIndex } from '../connection/by-index.ts';
import type { Db } from '../connection/client.ts';
import { column, columns } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';

const DELETED = columns({ count: column<number>('count(*)::int') });

/**
 * Deletes up to `batch` each of the counts of hours, those of days, and transit times from before a moment. Locked rows are skipped.
 * @returns the number of deleted rows; fewer than `batch` means that none are left.
 */
export async function pruneStats(
  db: Db,
  { hoursBefore, daysBefore, batch }: { hoursBefore: Date; daysBefore: Date; batch: number },
): Promise<number> {
  const [hours, days] = [hoursBefore, daysBefore].map((time) => Prisma.sql`${time.toISOString()}::timestamptz`);
  const oldest = (from: Prisma.Sql, order: Prisma.Sql) => Prisma.sql`
    WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${from} ORDER BY ${order} LIMIT ${batch}::int FOR UPDATE SKIP LOCKED)) RETURNING 1`;
  const ofGrain = (grain: 'hour' | 'day', before: Prisma.Sql | undefined) =>
    oldest(Prisma.sql`public.stat_counts WHERE grain = ${grain} AND at < ${before}`, Prisma.sql`grain, at`);
  const [deleted] = await rowsByIndex(
    db,
    DELETED,
    (list) => Prisma.sql`
    WITH hours AS (DELETE FROM public.stat_counts ${ofGrain('hour', hours)}),
      days AS (DELETE FROM public.stat_counts ${ofGrain('day', days)}),
      transits AS (
        DELETE FROM public.stat_transits ${oldest(Prisma.sql`public.stat_transits WHERE day < ${days}`, Prisma.sql`day`)})
    SELECT ${list} FROM (SELECT * FROM hours UNION ALL SELECT * FROM days UNION ALL SELECT * FROM transits) d`,
  );
  return deleted?.count ?? 0;
}
