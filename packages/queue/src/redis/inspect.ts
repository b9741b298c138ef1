import { openClient, type RedisClient } from './client.ts';
import { describeFault } from './describe-fault.ts';

/** Facts that an operator needs to know about a Redis. */
export type RedisFacts = {
  version: string;
  /** `noeviction` is the only one that loses no jobs; null if it does not say. */
  policy: string | null;
  /** Whether it survives a restart with its data; null if it does not say. */
  isPersistent: boolean | null;
  usedBytes: number;
  /** 0: as much as there is. */
  maxBytes: number;
};

const CONNECT_MS = 3000;

/**
 * Asks a Redis about itself; of a Cluster, one of its servers.
 * @returns null if it refuses to tell. @throws what else it answers, or why it cannot be reached
 */
export async function inspectRedis(url: string): Promise<RedisFacts | null> {
  const redis = openClient(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let failure: Error | undefined;
  redis.on('error', (error: Error) => {
    failure = error;
  });
  try {
    await redis.connect();
    const info = fieldsOf(await redis.info());
    // Also if the database of the address could not be selected: commands then go to another one.
    if (failure) throw failure;
    return {
      version: info.get('redis_version') ?? 'unknown',
      policy: info.get('maxmemory_policy') ?? null,
      isPersistent: info.get('aof_enabled') === '1' || (await hasSnapshots(redis)),
      usedBytes: Number(info.get('used_memory') ?? 0),
      maxBytes: Number(info.get('maxmemory') ?? 0),
    };
  } catch (error) {
    // A connection that fails only rejects with "Connection is closed".
    const cause = failure ?? (error as Error);
    if (cause.message.startsWith('NOPERM')) return null;
    throw new Error(await describeFault(url, cause), { cause });
  } finally {
    redis.disconnect();
  }
}

function fieldsOf(info: string): Map<string, string> {
  return new Map(
    info.split('\r\n').flatMap((line): [string, string][] => {
      const end = line.indexOf(':');
      return end < 0 ? [] : [[line.slice(0, end), line.slice(end + 1)]];
    }),
  );
}

/** Rented ones may refuse to tell. */
async function hasSnapshots(redis: RedisClient): Promise<boolean | null> {
  try {
    const [, save = ''] = (await redis.config('GET', 'save')) as string[];
    return save !== '';
  } catch {
    return null;
  }
}
