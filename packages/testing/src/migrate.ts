import { fileURLToPath } from 'node:url';
import { migrate } from '@pts/db/migrate';
import { migrateQueue } from '@pts/queue/postgres/migrate';

/** The folder with the migrations of this version. */
export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));

/** Brings a database to this version's schema; the queue's is for installations without Redis. */
export async function migrateDatabase(databaseUrl: string): Promise<void> {
  await migrate({ databaseUrl, migrationsDir: MIGRATIONS });
  await migrateQueue(databaseUrl);
}
