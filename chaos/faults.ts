import { PROCESSES } from '@pts/testing/app-process';
import type { Gate, GateState, OutageKind } from '@pts/testing/network-faults';
import { OptionFault } from '../bench/options.ts';
import type { Random } from './plan.ts';
import type { Manner } from './receiver/messages.ts';
import { CARRIERS } from './world/carriers.ts';
import type { Replica } from './world/replica.ts';
import { WORLD_STORES, type World, type WorldStore } from './world/world.ts';

/** A fault that has begun. */
type Begun = {
  /** The target that it hit, where there was a choice. */
  about?: string;
  /** Ends it, unless it was over at once. Also called when the run is interrupted. */
  heal?(): Promise<unknown>;
};

export type Fault = {
  name: string;
  /** Faults of one part never overlap. */
  part: 'processes' | 'clocks' | 'redis' | 'postgres' | 'carriers' | 'receivers';
  seconds: readonly [min: number, max: number];
  /** The stores to which it applies. */
  stores: readonly WorldStore[];
  begin(world: World, random: Random): Promise<Begun>;
};

const LONG = [10, 18] as const;
/** For an instantaneous fault: the time during which its consequences are observed. */
const MOMENT = [4, 6] as const;

/** Declares faults of one part. @param targetIn what they disturb in a world. */
function faultsOn<T>(part: Fault['part'], targetIn: (world: World) => T, stores: readonly WorldStore[] = WORLD_STORES) {
  return (
    name: string,
    seconds: Fault['seconds'],
    begin: (target: T, random: Random) => Begun | Promise<Begun>,
  ): Fault => ({ name, part, seconds, stores, begin: async (world, random) => begin(targetIn(world), random) });
}

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

const REDIS_FAULTS: readonly Fault[] = [
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

/** Failovers of a random master. The fault is over when its part of the keys has a replica again. */
const REDIS_FAILOVERS: readonly Fault[] = [
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

const POSTGRES_FAULTS: readonly Fault[] = [
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

const MINUTE_MS = 60_000;
/** More than receivers tolerate, an hour, and more than a day; ahead and behind. */
const SKEWS_MS = [-3, 7, -60, 61, -26 * 60, 26 * 60].map((minutes) => minutes * MINUTE_MS);

const processFault = faultsOn('processes', ({ replicas }) => replicas);
const clockFault = faultsOn('clocks', ({ replicas }) => replicas);

function kill(about: string, replicas: readonly Replica[]): Begun {
  for (const replica of replicas) replica.signal('SIGKILL');
  return { about };
}

function freeze(replicas: readonly Replica[]): Begun {
  for (const replica of replicas) replica.signal('SIGSTOP');
  const heal = async () => {
    for (const replica of replicas) replica.signal('SIGCONT');
  };
  return { about: replicas.map(({ name }) => name).join(', '), heal };
}

const ofApp = (app: Replica['app'], replicas: readonly Replica[]) => replicas.filter((replica) => replica.app === app);

const PROCESS_FAULTS: readonly Fault[] = [
  processFault('kill-one', MOMENT, (replicas, random) => {
    const replica = random.pick(replicas);
    return kill(replica.name, [replica]);
  }),
  processFault('kill-all-of-an-app', MOMENT, (replicas, random) => {
    const app = random.pick(PROCESSES);
    return kill(app, ofApp(app, replicas));
  }),
  processFault('kill-everything', MOMENT, (replicas) => kill('every process', replicas)),
  processFault('freeze-one-of-each', LONG, (replicas, random) =>
    freeze(PROCESSES.map((app) => random.pick(ofApp(app, replicas)))),
  ),
  clockFault('skewed-clocks', LONG, (replicas, random) => {
    const skewed = PROCESSES.map((app) => random.pick(ofApp(app, replicas)));
    const skews = skewed.map((replica) => ({ replica, ms: random.pick(SKEWS_MS) }));
    for (const { replica, ms } of skews) replica.skew(ms);
    const heal = async () => {
      for (const { replica } of skews) replica.skew(0);
    };
    return { about: skews.map(({ replica, ms }) => `${replica.name} ${ms / MINUTE_MS} min`).join(', '), heal };
  }),
];

const onCarriers = faultsOn('carriers', ({ carriers }) => carriers);

function carrierFault(name: string, outage: OutageKind): Fault {
  return onCarriers(name, LONG, (carriers, random) => {
    const carrier = random.pick(CARRIERS);
    carriers.set(carrier, outage);
    return { about: carrier, heal: async () => carriers.set(carrier, null) };
  });
}

/** One carrier of two: the news of the other must not wait. */
const CARRIER_FAULTS: readonly Fault[] = [
  carrierFault('carrier-500s', '500'),
  carrierFault('carrier-hangs', 'hang'),
  carrierFault('carrier-garbage', 'garbage'),
  carrierFault('carrier-200mb', 'huge'),
];

const onReceivers = faultsOn('receivers', (world) => world);

function receiverFault(name: string, manner: Manner): Fault {
  return onReceivers(name, LONG, ({ receivers, endpoints }, random) => {
    const { path } = random.pick(endpoints);
    receivers.set(path, manner);
    return { about: `endpoint ${path}`, heal: async () => receivers.set(path, 'accept') };
  });
}

/** One endpoint of several: the others must not wait. */
const RECEIVER_FAULTS: readonly Fault[] = [
  receiverFault('receiver-500s', 'error'),
  receiverFault('receiver-resets', 'reset'),
  receiverFault('receiver-hangs', 'hang'),
];

const FAULTS: readonly Fault[] = [
  ...PROCESS_FAULTS,
  ...REDIS_FAULTS,
  ...REDIS_FAILOVERS,
  ...POSTGRES_FAULTS,
  ...CARRIER_FAULTS,
  ...RECEIVER_FAULTS,
];

/** The faults of a store. @throws OptionFault if a name is unknown, or no faults are left. */
export function faultsOf(store: WorldStore, names: readonly string[] | undefined): Fault[] {
  const unknown = names?.find((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknown !== undefined)
    throw new OptionFault(`there is no fault ${unknown}: ${FAULTS.map(({ name }) => name).join(', ')}`);
  const chosen = FAULTS.filter(({ name, stores }) => stores.includes(store) && (names?.includes(name) ?? true));
  if (chosen.length === 0) throw new OptionFault(`none of the faults ${names?.join(', ')} concerns the store ${store}`);
  return chosen;
}
