import { join } from 'node:path';
import { CommandError } from '@pts/client/cli/kit';
import { messageOf } from '@pts/db/errors';
import { migrate as migrateDatabase } from '@pts/db/migrate';
import { migrateQueue } from '@pts/queue/postgres/schema';
import { loadConfig } from '@pts/runtime/settings/config';
import { type Context, command } from '../command.ts';
import { ALL_QUEUES, storeEnv } from '../installation.ts';

export const migrate = command({
  name: 'migrate',
  takes: [],
  options: {},
  about: 'Migrate the database schema and, without REDIS_URL, the queue schema. Safe to repeat.',
  async run(context) {
    const config = loadConfig(directEnv(context), ['databaseUrl', 'redisUrl']);
    const { databaseUrl, redisUrl } = config;
    const migrationsDir = join(context.root, 'prisma/migrations');
    const onApplied = (name: string) => context.out(`Applied ${name}`);
    const onProgress = (line: string) => context.out(line);
    const { applied } = await asProblem(migrateDatabase({ databaseUrl, migrationsDir, onApplied, onProgress }));
    if (redisUrl === undefined) await asProblem(migrateQueue(databaseUrl, ALL_QUEUES));
    return {
      lines: [
        applied.length === 0 ? 'The database was already up to date.' : 'The database is up to date.',
        redisUrl === undefined
          ? 'The queue schema in the database is up to date.'
          : 'The queue is in Redis (REDIS_URL) and needs no schema.',
      ],
      json: { applied, queue: redisUrl === undefined ? 'postgres' : 'redis' },
    };
  },
});

/** MIGRATE_DATABASE_URL bypasses a pooler in DATABASE_URL. */
function directEnv(context: Context): NodeJS.ProcessEnv {
  const { migrateDatabaseUrl } = loadConfig(context.env, ['migrateDatabaseUrl']);
  return migrateDatabaseUrl === undefined ? storeEnv(context) : { ...context.env, DATABASE_URL: migrateDatabaseUrl };
}

/** The messages say what failed and where, without the password, so no stack is printed. */
async function asProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new CommandError(messageOf(error));
  }
}
