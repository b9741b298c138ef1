import type { Db } from './client.ts';

/** The time of the database, which decides about every schedule. */
export async function readClock({ $connections }: Pick<Db, '$connections'>): Promise<Date> {
  const { rows } = await $connections.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const [row] = rows;
  if (!row) throw new Error('the database did not return its time');
  return row.now;
}
