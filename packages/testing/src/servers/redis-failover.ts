import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { startRedis, type TestRedis } from './redis.ts';

/** A Redis that survives the loss of a server. */
export type RedundantRedis = {
  /** As REDIS_URL takes it. */
  url: string;
  /** Kills the server that has a key; another one takes over. */
  loseServerOf(key: string): Promise<void>;
  stop(): Promise<void>;
};

const MASTER = 'main';
/** Servers of a Cluster that take writes. */
const MASTERS = 3;
const SLOTS = 16_384;
/** The port of the Cluster's bus is 10,000 more. */
const MAX_CLUSTER_PORT = 55_000;

/** A master, a replica and a Sentinel that promotes it after half a second. */
export async function startRedisSentinel(): Promise<RedundantRedis> {
  const master = await startRedis();
  const replica = await startRedis({
    settings: { replicaof: `127.0.0.1 ${master.port}`, 'repl-diskless-sync-delay': '0' },
  });
  const sentinel = await startRedis({
    sentinel: [
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} 1`,
      `sentinel down-after-milliseconds ${MASTER} 500`,
      `sentinel failover-timeout ${MASTER} 3000`,
      '',
    ].join('\n'),
  });
  const servers = [sentinel, replica, master];
  await ask(sentinel.url, (client) =>
    eventually(async () => {
      const [first] = (await client.call('SENTINEL', 'REPLICAS', MASTER)) as string[][];
      expect(first?.[first.indexOf('master-link-status') + 1]).toBe('ok');
    }),
  );
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/${MASTER}`,
    loseServerOf: () => master.stop(),
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

/** Three masters with a replica each. */
export async function startRedisCluster(): Promise<RedundantRedis> {
  const servers = await Promise.all(Array.from({ length: 2 * MASTERS }, startClusterServer));
  const masters = servers.slice(0, MASTERS);
  const [first, ...others] = servers;
  if (!first) throw new Error('there is no server');
  const idOf = (server: TestRedis) => ask(server.url, (client) => client.cluster('MYID')) as Promise<string>;
  for (const [n, { url }] of masters.entries())
    await ask(url, (client) => client.call('CLUSTER', 'ADDSLOTS', ...slotsOf(n)));
  for (const { port } of others) await ask(first.url, (client) => client.call('CLUSTER', 'MEET', '127.0.0.1', port));
  for (const [n, { url }] of servers.slice(MASTERS).entries()) {
    const master = await idOf(masters[n] as TestRedis);
    await ask(url, (client) => eventually(() => client.call('CLUSTER', 'REPLICATE', master)));
  }
  for (const { url } of servers)
    await ask(url, (client) =>
      eventually(async () => {
        const info = String(await client.cluster('INFO'));
        for (const fact of ['cluster_state:ok', `cluster_slots_ok:${SLOTS}`, `cluster_known_nodes:${2 * MASTERS}`])
          expect(info).toContain(fact);
        const nodes = String(await client.cluster('NODES'));
        expect(nodes.match(/slave [\da-f]{40} \d+ \d+ \d+ connected/g)).toHaveLength(MASTERS);
      }),
    );
  return {
    url: `redis+cluster://127.0.0.1:${first.port},127.0.0.1:${masters[1]?.port}`,
    async loseServerOf(key) {
      const slot = Number(await ask(first.url, (client) => client.cluster('KEYSLOT', key)));
      await masters[Math.min(MASTERS - 1, Math.floor(slot / width()))]?.stop();
    },
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}

const width = () => Math.ceil(SLOTS / MASTERS);

/** The slots of master n. */
function slotsOf(n: number): number[] {
  return Array.from({ length: Math.min(width(), SLOTS - n * width()) }, (_, i) => n * width() + i);
}

async function startClusterServer(): Promise<TestRedis> {
  for (;;) {
    const server = await startRedis({ settings: { 'cluster-enabled': 'yes', 'cluster-node-timeout': '1000' } });
    if (server.port <= MAX_CLUSTER_PORT) return server;
    await server.stop();
  }
}

/** One conversation with a server. */
async function ask<T>(url: string, talk: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { maxRetriesPerRequest: null });
  try {
    return await talk(client);
  } finally {
    client.disconnect();
  }
}
