import { eventually } from '@pts/testing/eventually';
import type { Db } from '../connection.ts';
import { foldStats, type TransitOf } from '../stats.ts';

/** Counts all events and attempts. Those of transactions of other databases of the server are waited for, too. */
export async function foldAll(db: Db, transitOf: TransitOf): Promise<void> {
  await eventually(async () => {
    while ((await foldStats(db, transitOf)).more);
    const [waiting] = await db.$queryRaw<{ isDone: boolean }[]>`
      SELECT NOT EXISTS (SELECT FROM messages m WHERE m.position > p.position)
        AND NOT EXISTS (SELECT FROM delivery_attempts a WHERE a.id > p.attempt) AS "isDone" FROM stat_progress p`;
    if (!waiting?.isDone) throw new Error('some events or attempts are not counted');
  });
}
