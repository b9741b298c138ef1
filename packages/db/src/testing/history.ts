import type { Db } from '../connection/client.ts';

/** Gives an empty history the partitions that it had at a time in the past: none are ahead of it. */
export async function beginHistory(db: Db, at: Date): Promise<void> {
  await db.$executeRaw`DROP TABLE delivery_attempts_floor, delivery_attempts_tail`;
  await db.$executeRaw`
    SELECT history_create('delivery_attempts_floor', 'MINVALUE', b.bound), history_create('delivery_attempts_tail', b.bound, 'MAXVALUE')
    FROM (SELECT history_bound(history_period(${at.toISOString()}::timestamptz))::text AS bound) b`;
}

/** The partitions of attempts by their beginning, without the prefix of their names. */
export async function partitionsOf(db: Db): Promise<{ name: string; begins: number | null; ends: number | null }[]> {
  return db.$queryRaw`
    SELECT substr(name, 19) AS name, begins, ends FROM history_partitions ORDER BY begins NULLS FIRST`;
}
