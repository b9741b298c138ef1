import type { Gate, GateState } from '@pts/testing/gate';
import { type Begun, type Fault, faultsOn, LONG, MOMENT } from './fault.ts';

const TABLES = ['trackings', 'checks', 'messages', 'deliveries', 'delivery_attempts', 'webhooks', 'quota_usage'];
/** A missing master: the replica keeps its data and accepts no writes. */
const NOWHERE = ['127.0.0.1', 1] as const;

/** A fault of the network between the services and a server. */
const setGate =
  (state: GateState) =>
  ({ gate }: { gate: Gate }): Begun => {
    gate.set(state);
    return { heal: async () => gate.set('open') };
  };

const redisFault = faultsOn(
  'redis',
  ({ redis }) => {
    if (!redis) throw new Error('there is no Redis');
    return redis;
  },
  ['redis'],
);

export const REDIS_FAULTS: readonly Fault[] = [
  redisFault('redis-flush', MOMENT, async (redis) => {
    await redis.command('FLUSHALL');
    return {};
  }),
  redisFault('redis-restart', MOMENT, async (redis) => {
    await redis.stop();
    await redis.start();
    return {};
  }),
  redisFault('redis-stopped', LONG, async (redis) => {
    await redis.stop();
    return { heal: redis.start };
  }),
  redisFault('redis-full', LONG, async (redis) => {
    await redis.command('CONFIG', 'SET', 'maxmemory', 1);
    return { heal: () => redis.command('CONFIG', 'SET', 'maxmemory', 0) };
  }),
  redisFault('redis-read-only', LONG, async (redis) => {
    await redis.command('REPLICAOF', ...NOWHERE);
    return { heal: () => redis.command('REPLICAOF', 'NO', 'ONE') };
  }),
  redisFault('redis-hung', LONG, setGate('mute')),
  redisFault('redis-away', LONG, setGate('shut')),
];

const redisFailover = faultsOn(
  'redis',
  ({ redundantRedis }) => {
    if (!redundantRedis) throw new Error('there is no second Redis');
    return redundantRedis;
  },
  ['redis-sentinel', 'redis-cluster'],
);

/** Of a random master. The fault is over when its part of the keys has a replica again. */
export const REDIS_FAILOVERS: readonly Fault[] = [
  redisFailover('redis-failover', LONG, async (redis, random) => {
    const master = random.pick(await redis.masters());
    // Replication is asynchronous: the one that takes over may lack anything.
    const isBehind = random.next() < 0.5;
    if (isBehind) await master.call('FLUSHALL');
    await master.kill();
    const heal = async () => {
      await redis.restart(master);
      await redis.untilWhole();
    };
    return { about: isBehind ? 'nothing was replicated' : 'all was replicated', heal };
  }),
  // It comes back as a master, and others have written to its successor.
  redisFailover('redis-failover-frozen', LONG, async (redis, random) => {
    const thaw = await random.pick(await redis.masters()).freeze();
    const heal = async () => {
      thaw();
      await redis.untilWhole();
    };
    return { heal };
  }),
  redisFailover('redis-failover-planned', MOMENT, async (redis, random) => {
    await redis.handOver(random.pick(await redis.masters()));
    return { heal: redis.untilWhole };
  }),
];

const postgresFault = faultsOn('postgres', ({ postgres }) => postgres);

export const POSTGRES_FAULTS: readonly Fault[] = [
  ...(['fast', 'immediate'] as const).map((how) =>
    postgresFault(`postgres-restart-${how}`, MOMENT, async (postgres) => {
      await postgres.stop(how);
      await postgres.start();
      return {};
    }),
  ),
  postgresFault('postgres-stopped', LONG, async (postgres) => {
    await postgres.stop('fast');
    return { heal: postgres.start };
  }),
  // Asynchronous: what is committed until the end of the fault is lost, and the ledger knows it.
  faultsOn('postgres', (world) => world)('postgres-failover', LONG, async ({ postgres, readers }) => ({
    heal: await postgres.detachStandby(readers),
  })),
  faultsOn('postgres', (world) => world)('postgres-restore', LONG, async ({ postgres, readers }) => ({
    heal: await postgres.dump(readers),
  })),
  // Nothing is lost, not even of what was under way when the primary was killed.
  postgresFault('postgres-failover-synchronous', LONG, async (postgres) => ({ heal: await postgres.attachStandby() })),
  postgresFault('postgres-locked', LONG, async (postgres, random) => {
    const table = random.pick(TABLES);
    return { about: table, heal: await postgres.lock(table) };
  }),
  postgresFault('postgres-disk-full', LONG, async (postgres) => ({ heal: await postgres.fill() })),
  postgresFault('postgres-out-of-connections', LONG, async (postgres) => ({ heal: await postgres.takeConnections() })),
  postgresFault('postgres-mute', LONG, setGate('mute')),
  postgresFault('postgres-half-open', LONG, setGate('half-open')),
];
