import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pts/db/migrate/migrate';
import { startPostgres } from '@pts/embedded/postgres';
import { migrateQueue } from '@pts/queue/migrate';
import { queryOnce } from '@pts/testing/database';
import { startRedis } from '@pts/testing/redis';

const ROOT = resolve(fileURLToPath(import.meta.url), '../../../..');

/** Servers with production settings: committed data is on disk. */
export type DurableServers = {
  redisUrl: string;
  /** A migrated database without a row. */
  newDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  stop(): Promise<void>;
};

/** Starts a PostgreSQL that keeps its data safe, unlike that of tests, and a Redis. */
export async function startDurableServers(): Promise<DurableServers> {
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-postgres-'));
  const postgres = await startPostgres({ dir, persistent: true });
  const redis = await startRedis({ log: console.error });
  return {
    redisUrl: redis.url,
    async newDatabase() {
      const name = `bench_${randomBytes(6).toString('hex')}`;
      await queryOnce(postgres.url, `CREATE DATABASE ${name}`);
      const url = new URL(postgres.url);
      url.pathname = `/${name}`;
      await migrateDatabase(url.href);
      return {
        url: url.href,
        drop: async () => void (await queryOnce(postgres.url, `DROP DATABASE ${name} WITH (FORCE)`)),
      };
    },
    async stop() {
      await Promise.all([postgres.stop(), redis.stop()]);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Brings a database to this version's schema; the queue's is for installations without Redis. */
export async function migrateDatabase(databaseUrl: string): Promise<void> {
  await migrate({ databaseUrl, migrationsDir: join(ROOT, 'prisma/migrations') });
  await migrateQueue(databaseUrl);
}
