import { setTimeout as delay } from 'node:timers/promises';
import { type Db, openDatabase } from '@pts/db/connection';
import { messageOf } from '@pts/db/errors';
import { LOOK_EVERY_MS, MAX_STALE_MS, readReplica } from '@pts/db/replica';
import { advice, type Finding, ok } from './finding.ts';

const MEANWHILE = 'until then, lists are read from the primary';

/** Whether the replica for lists is fresh enough to be read, by the measure of the API. */
export async function lookAtReplica(primary: Db, url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [];
  const replica = openDatabase({ url, poolSize: 1 });
  const { look, lagMs } = readReplica({ primary, replica });
  try {
    for (let waited = 0; waited <= MAX_STALE_MS; waited += LOOK_EVERY_MS) {
      await look();
      if (lagMs() !== null) return [ok('replica', `it is ${(waited / 1000).toFixed(1)} s behind at most`)];
      await delay(LOOK_EVERY_MS);
    }
    return [
      advice(
        'replica',
        `it is more than ${MAX_STALE_MS / 1000} s behind the primary`,
        `look at pg_stat_replication on the primary, and for long statements on the replica; ${MEANWHILE}`,
      ),
    ];
  } catch (error) {
    return [
      advice(
        'replica',
        `it cannot be used: ${messageOf(error).split('\n').at(-1)}`,
        `let DATABASE_REPLICA_URL lead to a streaming replica that runs; ${MEANWHILE}`,
      ),
    ];
  } finally {
    await replica.$disconnect();
  }
}
