import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';

/** Messages first: once they are gone, none of their deliveries can become pending. */
const TABLES = ['messages', 'deliveries', 'delivery_attempts'];

const ROTATED = columns({
  /** Partitions that were created and dropped. Null: another process is at it, or others use the table for long. */
  changed: column<number | null>('public.history_rotate(r.parent, r.days, r.at)'),
});

type Retention = { retentionDays: number; now: Date };

/**
 * Creates the partitions of the days ahead and drops expired ones (decision 0042). At most one process does it at a time, and none
 * waits for long, since all who use the table wait behind it. A fault of one table does not keep the others from being rotated.
 * @returns whether anything changed.
 * @throws the first fault, after the others were rotated.
 */
export async function rotateHistory(db: Db, retention: Retention): Promise<boolean> {
  const faults: unknown[] = [];
  let isChanged = false;
  for (const table of TABLES) {
    try {
      if (await rotate(db.$within(DEADLINES.bulk), table, retention)) isChanged = true;
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return isChanged;
}

/** A transaction for each table: none is locked while another one is worked on. */
async function rotate(db: Db, table: string, { retentionDays, now }: Retention): Promise<boolean> {
  const [rotated] = await rows(
    db,
    ROTATED,
    (list) => Prisma.sql`
      SELECT ${list} FROM (SELECT ${table} AS parent, ${retentionDays}::int AS days, ${now.toISOString()}::timestamptz AS at) r`,
  );
  if (!rotated?.changed) return false;
  await db.$executeRaw`SELECT public.history_analyze(${table})`;
  return true;
}

const AGES = columns({
  table: column<string>('p."table"::text'),
  /** Until rows need the next partition, which should be there long before. */
  aheadSeconds: column<number>('extract(epoch FROM to_timestamp(max(p.begins) << 16) - now())::float8'),
  /** For how long rows should have been gone. */
  expiredSeconds: column<number>(`GREATEST(0, extract(epoch FROM LEAST(r.at, now()) - make_interval(days => r.days)
    - to_timestamp(min(p.ends) FILTER (WHERE p.begins IS NOT NULL OR p.is_filled) << 16)))::float8`),
});

export type HistoryAge = RowOf<typeof AGES>;

/** Whether the partitions keep up with time. */
export function readHistoryAges(db: Db, { retentionDays, now }: Retention): Promise<HistoryAge[]> {
  return rows(
    db,
    AGES,
    (list) => Prisma.sql`
SELECT ${list} FROM (SELECT ${retentionDays}::int AS days, ${now.toISOString()}::timestamptz AS at) r, public.history_partitions p
GROUP BY r.days, r.at, p."table" ORDER BY p."table"`,
  );
}
