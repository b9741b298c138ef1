import type { WorldPostgres } from '../world/postgres.ts';
import type { WorldRedis } from '../world/redis.ts';
import { BOTH, type Fault, LONG, MOMENT, nothing } from './fault.ts';

const TABLES = ['trackings', 'checks', 'messages', 'deliveries', 'delivery_attempts', 'webhooks', 'quota_usage'];
/** A missing master: the replica keeps its data and accepts no writes. */
const NOWHERE = ['127.0.0.1', 1] as const;

type OnRedis = (redis: WorldRedis) => Promise<() => Promise<unknown>>;

function redisFault(name: string, seconds: Fault['seconds'], begin: OnRedis): Fault {
  return {
    name: `redis-${name}`,
    part: 'redis',
    seconds,
    stores: ['redis'],
    begin: async ({ redis }) => {
      if (!redis) throw new Error('there is no Redis');
      const heal = await begin(redis);
      return { about: '', heal: async () => void (await heal()) };
    },
  };
}

export const REDIS_FAULTS: readonly Fault[] = [
  redisFault('flush', MOMENT, async (redis) => {
    await redis.command('FLUSHALL');
    return nothing;
  }),
  redisFault('restart', MOMENT, async (redis) => {
    await redis.stop();
    await redis.start();
    return nothing;
  }),
  redisFault('stopped', LONG, async (redis) => {
    await redis.stop();
    return () => redis.start();
  }),
  redisFault('full', LONG, async (redis) => {
    await redis.command('CONFIG', 'SET', 'maxmemory', 1);
    return () => redis.command('CONFIG', 'SET', 'maxmemory', 0);
  }),
  redisFault('read-only', LONG, async (redis) => {
    await redis.command('REPLICAOF', ...NOWHERE);
    return () => redis.command('REPLICAOF', 'NO', 'ONE');
  }),
  redisFault('hung', LONG, async (redis) => {
    redis.gate.set('mute');
    return async () => redis.gate.set('open');
  }),
  redisFault('away', LONG, async (redis) => {
    redis.gate.set('shut');
    return async () => redis.gate.set('open');
  }),
];

type OnPostgres = (postgres: WorldPostgres) => Promise<() => Promise<void>>;

function postgresFault(name: string, seconds: Fault['seconds'], begin: OnPostgres): Fault {
  return {
    name: `postgres-${name}`,
    part: 'postgres',
    seconds,
    stores: BOTH,
    begin: async ({ postgres }) => ({ about: '', heal: await begin(postgres) }),
  };
}

export const POSTGRES_FAULTS: readonly Fault[] = [
  ...(['fast', 'immediate'] as const).map((how) =>
    postgresFault(`restart-${how}`, MOMENT, async (postgres) => {
      await postgres.stop(how);
      await postgres.start();
      return nothing;
    }),
  ),
  postgresFault('stopped', LONG, async (postgres) => {
    await postgres.stop('fast');
    return () => postgres.start();
  }),
  {
    name: 'postgres-locked',
    part: 'postgres',
    seconds: LONG,
    stores: BOTH,
    begin: async ({ postgres }, random) => {
      const table = random.pick(TABLES);
      return { about: table, heal: await postgres.lock(table) };
    },
  },
  postgresFault('out-of-connections', LONG, (postgres) => postgres.takeConnections()),
  postgresFault('mute', LONG, async (postgres) => {
    postgres.gate.set('mute');
    return async () => postgres.gate.set('open');
  }),
  postgresFault('half-open', LONG, async (postgres) => {
    postgres.gate.set('half-open');
    return async () => postgres.gate.set('open');
  }),
];
