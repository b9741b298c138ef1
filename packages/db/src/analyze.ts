import { column, columns, type Db, rows } from './connection.ts';
import { Prisma } from './generated/client.ts';
import { DEADLINES } from './pool.ts';

const GROWN = columns({
  table: column<string>("format('%I.%I', n.nspname, c.relname)"),
  name: column<string>('c.relname'),
  isOwn: column<boolean>("pg_has_role(c.relowner, 'USAGE')"),
});

/** A plan for a table of a size is good enough for one of up to four times that. */
const GROWTH = 4;

/** Fewer rows than these fill a page or two, for which every plan is good. */
const FEW_ROWS = 50;

/**
 * Analyzes tables that have grown many times over since they were analyzed last. Hot statements keep their plans, and
 * for a table of a few pages the best plan reads all of it. Autovacuum looks for such tables once a minute, in which an
 * import adds a million rows. A table grows by its pages, and by its rows: those that an open transaction has written
 * fill pages, but an ANALYZE beside it finds none of them, and would be the last one for a long time. Tables of another
 * owner than this role or the one that migrates, and those that are being vacuumed, are left out.
 * @returns the tables that were analyzed, with their schemas.
 */
export async function analyzeGrown(db: Db, schemas: readonly string[]): Promise<string[]> {
  const grown = await rows(
    db,
    GROWN,
    (list) => Prisma.sql`
    SELECT ${list} FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY(${[...schemas]}::text[]) AND c.relkind = 'r' AND (pg_has_role(c.relowner, 'USAGE')
        OR n.nspname = 'public' AND c.relowner = (SELECT proowner FROM pg_catalog.pg_proc WHERE oid = to_regprocedure('public.analyze_table(text)')))
      AND (pg_relation_size(c.oid) > ${GROWTH}::int * greatest(c.relpages, 1) * current_setting('block_size')::bigint
        OR pg_stat_get_live_tuples(c.oid) > ${GROWTH}::int * greatest(c.reltuples, ${FEW_ROWS}::int))`,
  );
  for (const { table, name, isOwn } of grown) {
    const bulk = db.$within(DEADLINES.bulk);
    if (isOwn) await bulk.$executeRawUnsafe(`ANALYZE (SKIP_LOCKED) ${table}`);
    else await bulk.$executeRaw`SELECT public.analyze_table(${name})`;
  }
  return grown.map(({ table }) => table);
}
