import { parseRedisAddress, showRedisAddress } from '@pts/core/settings';
import { messageOf } from '@pts/db/connection/message';
import { inspectRedis } from '@pts/queue/redis/inspect';
import { advice, type Finding, ok, problem } from './finding.ts';

const OLDEST_VERSION = [6, 2] as const;
/** From this share of its memory on, it will soon refuse to write. */
const NEARLY_FULL = 0.9;

/** Whether Redis keeps the jobs of the queue. */
export async function lookAtRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [ok('redis', 'REDIS_URL is not set: queue and limits are in PostgreSQL')];
  try {
    const facts = await inspectRedis(url);
    if (facts === null)
      return [
        advice(
          'redis',
          `${addressOf(url)} answers, but its user may not ask for version, policy and memory`,
          'allow this user the command INFO, or make sure yourself of 6.2 or newer and maxmemory-policy noeviction',
        ),
      ];
    const { version, policy, isPersistent, usedBytes, maxBytes } = facts;
    const isFull = maxBytes > 0 && usedBytes >= NEARLY_FULL * maxBytes;
    return [
      isOld(version)
        ? problem('redis', `Redis ${version}`, `upgrade it to ${OLDEST_VERSION.join('.')} or newer`)
        : ok('redis', `Redis ${version}`),
      policyOf(policy),
      isPersistent === false
        ? advice(
            'redis persistence',
            'it forgets its data when it restarts: the sweeps then start all work late',
            'turn on appendonly, or save',
          )
        : ok('redis persistence', isPersistent ? 'it keeps its data' : 'it does not say; ask whoever runs it'),
      isFull
        ? problem(
            'redis memory',
            `${usedBytes} of ${maxBytes} bytes are in use`,
            'raise maxmemory, or find what else uses this Redis',
          )
        : ok('redis memory', `${usedBytes} bytes are in use`),
    ];
  } catch (error) {
    return [
      problem(
        'redis',
        `${addressOf(url)} cannot be used: ${messageOf(error)}`,
        'check REDIS_URL, its password, TLS (rediss://) and the network; until then the sweeps start all work',
      ),
    ];
  }
}

function policyOf(policy: string | null): Finding {
  switch (policy) {
    case 'noeviction':
      return ok('redis policy', 'noeviction');
    case null:
      return advice('redis policy', 'it does not say', 'make sure that whoever runs it has set noeviction');
    default:
      return problem(
        'redis policy',
        `${policy}: a full Redis drops jobs of the queue`,
        'CONFIG SET maxmemory-policy noeviction, and in its configuration',
      );
  }
}

/** Whether the Redis for the limits alone answers. */
export async function lookAtLimitsRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [];
  try {
    const facts = await inspectRedis(url);
    return [ok('redis for limits', facts === null ? `${addressOf(url)} answers` : `Redis ${facts.version}`)];
  } catch (error) {
    return [
      problem(
        'redis for limits',
        `${addressOf(url)} cannot be used: ${messageOf(error)}`,
        'check REDIS_LIMITS_URL; until then each process counts for itself',
      ),
    ];
  }
}

/** Without credentials. */
function addressOf(url: string): string {
  const address = parseRedisAddress(url);
  return address === null ? 'the address' : showRedisAddress(address);
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_VERSION[0] || (major === OLDEST_VERSION[0] && minor < OLDEST_VERSION[1]);
}
