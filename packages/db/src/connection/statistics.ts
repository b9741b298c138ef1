import { Prisma } from '../generated/client.ts';
import type { Db } from './client.ts';
import { DEADLINES, withDeadline } from './deadline.ts';
import { column, columns, rows } from './rows.ts';

const GROWN = columns({ table: column<string>("format('%I.%I', n.nspname, c.relname)") });

/** A plan for a table of a size is good enough for one of up to four times that. */
const GROWTH = 4;

/** Fewer rows than these fill a page or two, for which every plan is good. */
const FEW_ROWS = 50;

/**
 * Analyzes tables that have grown many times over since they were analyzed last. Hot statements keep their plans, and for a table of a
 * few pages the best plan reads all of it. Autovacuum looks for such tables once a minute, in which an import adds a million rows.
 * A table grows by its pages, and by its rows: those that an open transaction has written fill pages, but an ANALYZE beside it finds
 * none of them, and would be the last one for a long time. Tables of another owner, and those that are being vacuumed, are left out.
 * @returns the tables that were analyzed, with their schemas.
 */
export async function analyzeGrown(db: Db, schemas: readonly string[]): Promise<string[]> {
  const grown = await rows(
    db,
    GROWN,
    (list) => Prisma.sql`
    SELECT ${list} FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY(${[...schemas]}::text[]) AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE')
      AND (pg_relation_size(c.oid) > ${GROWTH}::int * greatest(c.relpages, 1) * current_setting('block_size')::bigint
        OR pg_stat_get_live_tuples(c.oid) > ${GROWTH}::int * greatest(c.reltuples, ${FEW_ROWS}::int))`,
  );
  const tables = grown.map(({ table }) => table);
  for (const table of tables)
    await withDeadline(DEADLINES.bulk, () => db.$executeRawUnsafe(`ANALYZE (SKIP_LOCKED) ${table}`));
  return tables;
}
