import { PROVIDERS } from '@pts/carriers/providers/index';
import { messageOf } from '@pts/db/errors';
import { migrate } from '@pts/db/migrate';
import { queuesOf } from '@pts/queue/catalog';
import { openQueue } from '@pts/queue/connection';
import { migrateQueue } from '@pts/queue/postgres/migrate';
import { Problem } from './problem.ts';

/** Checks that the servers answer, and migrates their schemas. @throws Problem */
export async function prepareStores(
  stores: { databaseUrl: string; redisUrl: string | null; migrationsDir: string },
  say: (line: string) => void,
): Promise<void> {
  const { databaseUrl, redisUrl, migrationsDir } = stores;
  if (redisUrl) await checkRedis(redisUrl, databaseUrl);
  try {
    const { applied } = await migrate({ databaseUrl, migrationsDir });
    if (applied.length > 0) say(`database migrated to ${applied.at(-1)} (migrations applied: ${applied.length})`);
    if (!redisUrl) await migrateQueue(databaseUrl, queuesOf(PROVIDERS.map(({ name }) => name)));
  } catch (error) {
    throw new Problem(error instanceof Error ? error.message : String(error));
  }
}

async function checkRedis(redisUrl: string, databaseUrl: string): Promise<void> {
  const queue = await openQueue({ redisUrl, databaseUrl, prefix: '{pts}', onError: () => {} });
  try {
    await queue.ping();
  } catch (error) {
    throw new Problem(`${queue.at} (REDIS_URL) does not answer: ${messageOf(error)}`);
  } finally {
    await queue.close();
  }
}
