import type { Db } from '../connection.ts';
import { prune } from '../deliveries/retention.ts';

const TABLES = ['messages', 'deliveries', 'delivery_attempts'] as const;
type Table = (typeof TABLES)[number];

/** Gives an empty history the partitions that it had at a time in the past: none are ahead of it. */
export async function beginHistory(db: Db, at: Date): Promise<void> {
  for (const table of TABLES) {
    await db.$executeRawUnsafe(`DROP TABLE ${table}_floor, ${table}_tail`);
    await db.$executeRaw`
      SELECT history_create(b.parent, 'floor', 'MINVALUE', b.bound), history_create(b.parent, 'tail', b.bound, 'MAXVALUE')
      FROM (SELECT t.parent, history_bound(history_period(${at.toISOString()}::timestamptz)) AS bound
        FROM (SELECT ${table} AS parent) t) b`;
  }
}

/** The partitions of a table by their beginning, without the prefix of their names. */
export async function partitionsOf(
  db: Db,
  table: Table = 'delivery_attempts',
): Promise<{ name: string; begins: number | null; ends: number | null }[]> {
  return db.$queryRaw`
    SELECT substr(name, length("table") + 2) AS name, begins, ends FROM history_partitions WHERE "table" = ${table}
    ORDER BY begins NULLS FIRST`;
}

/** Prunes inside a transaction that is still open afterwards. */
export function pruneIn(tx: Db, limits: Parameters<typeof prune>[1]): Promise<number> {
  const inside: Db = new Proxy(tx, {
    get: (target, name) => {
      if (name === '$within') return () => inside;
      return name === '$transaction' ? (work: (inner: Db) => unknown) => work(target) : Reflect.get(target, name);
    },
  });
  return prune(inside, limits);
}
