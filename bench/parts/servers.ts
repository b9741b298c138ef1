import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@pts/embedded/postgres';
import { createDatabase } from '@pts/testing/database';
import { migrateDatabase } from '@pts/testing/migrate';
import { startRedis } from '@pts/testing/servers/redis';

/** What docs/scaling.md recommends from a million parcels on, with less memory. */
const PRODUCTION = { shared_buffers: '2GB', checkpoint_timeout: '30min', max_wal_size: '16GB' };

/** Servers with the settings of production: what is committed is on disk. */
export type DurableServers = {
  redisUrl: string;
  /** A migrated database without a row. */
  newDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  stop(): Promise<void>;
};

/** Starts a PostgreSQL that keeps its data safe, unlike that of tests, and a Redis. */
export async function startDurableServers(): Promise<DurableServers> {
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-postgres-'));
  const postgres = await startPostgres({ dir, persistent: true, settings: PRODUCTION });
  const redis = await startRedis({ log: console.error });
  return {
    redisUrl: redis.url,
    async newDatabase() {
      const { url, close } = await createDatabase(postgres.url);
      await migrateDatabase(url);
      return { url, drop: close };
    },
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
