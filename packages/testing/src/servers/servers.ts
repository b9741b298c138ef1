import { chmodSync, rmSync } from 'node:fs';
import { createTemporaryFolder } from '@pts/embedded/machine';
import { startPostgres } from '@pts/embedded/postgres';
import { Redis } from 'ioredis';
import pg from 'pg';
import { startRedis } from './redis.ts';

/** Several installations use it at once. */
const SETTINGS = { max_connections: '500' };

type Log = (line: string) => void;
type Server = { url: string; stop(): Promise<void> };

export type TestServers = {
  /** The variables that pass their addresses to the tests, and a folder for what tests share. */
  env: { TEST_DATABASE_URL: string; TEST_REDIS_URL: string; TEST_FOLDER: string };
  stop(): Promise<void>;
};

/** The servers that tests need: those named in the environment, or new ones. */
export async function startTestServers(env: NodeJS.ProcessEnv, log: Log): Promise<TestServers> {
  const started = await Promise.allSettled([
    env.TEST_DATABASE_URL
      ? givenPostgres(env.TEST_DATABASE_URL)
      : startPostgres({ persistent: false, settings: SETTINGS }),
    env.TEST_REDIS_URL ? givenRedis(env.TEST_REDIS_URL) : startRedis({ log }),
  ]);
  const servers = started.flatMap((result): Server[] => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => void (await Promise.allSettled(servers.map((server) => server.stop())));
  const failed = started.find((result) => result.status === 'rejected');
  const [postgres, redis] = servers;
  if (failed || !postgres || !redis) {
    await stop();
    throw failed?.reason;
  }
  const folder = createTemporaryFolder('pts-tests-');
  chmodSync(folder, 0o755); // as root, servers run as another user
  return {
    env: { TEST_DATABASE_URL: postgres.url, TEST_REDIS_URL: redis.url, TEST_FOLDER: folder },
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const notOurs = async () => {};

async function givenPostgres(url: string): Promise<Server> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  try {
    await client.connect();
    return { url, stop: notOurs };
  } catch (error) {
    throw new Error(
      `the PostgreSQL of TEST_DATABASE_URL does not answer: ${error instanceof Error ? error.message : error}`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}

async function givenRedis(url: string): Promise<Server> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: 5000, retryStrategy: () => null });
  client.on('error', () => {});
  try {
    await client.connect();
    return { url, stop: notOurs };
  } catch (error) {
    throw new Error(`the Redis of TEST_REDIS_URL does not answer: ${error instanceof Error ? error.message : error}`);
  } finally {
    client.disconnect();
  }
}
