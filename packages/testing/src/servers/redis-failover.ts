import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { END_OF_PORTS, freePort, tryPort } from '@pts/embedded/machine';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { startRedis } from './redis.ts';

/** A Redis that survives the loss of a server. */
export type RedundantRedis = {
  /** As REDIS_URL takes it. */
  url: string;
  /** The servers that take writes: one, or one for each part of the keys, in their order. */
  masters(): Promise<RedisMember[]>;
  /** The one that has a key. */
  masterOf(key: string): Promise<RedisMember>;
  /** A planned failover: the master's replica takes over, and the master follows it. */
  handOver(master: RedisMember): Promise<void>;
  /** Starts a server again that was killed: without data, it follows the one that took over. */
  restart(member: RedisMember): Promise<void>;
  /** Waits until each master has a replica that is up to date. */
  untilWhole(): Promise<void>;
  stop(): Promise<void>;
};

const MASTER = 'main';
/** Servers of a Cluster that take writes. */
const MASTERS = 3;
const SLOTS = 16_384;
/** What the port of a server's bus is more than its own. */
const BUS = 10_000;
/** A replica gives up a planned failover after five seconds. */
const HAND_OVER_MS = 6000;

/** A master, a replica and a Sentinel that promotes it after half a second. */
export async function startRedisSentinel(): Promise<RedundantRedis> {
  const following = ({ port }: RedisMember) => ({
    replicaof: `127.0.0.1 ${port}`,
    'repl-diskless-sync-delay': '0',
  });
  const first = await startRedisMember();
  const second = await startRedisMember({ settings: following(first) });
  const sentinel = await startRedisMember({
    sentinel: [
      `sentinel monitor ${MASTER} 127.0.0.1 ${first.port} 1`,
      `sentinel down-after-milliseconds ${MASTER} 500`,
      `sentinel failover-timeout ${MASTER} 3000`,
      '',
    ].join('\n'),
  });
  const members = [first, second];
  const master = async () => {
    const [, port] = (await sentinel.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER)) as string[];
    return memberAt(members, Number(port));
  };
  /** The one that took over from a master. */
  const successorOf = (former: RedisMember) =>
    eventually(async () => {
      const current = await master();
      assert(current !== former, `no server has taken over from ${former.port}`);
      return current;
    });
  const untilWhole = () =>
    eventually(async () => {
      const current = await master();
      const replica = members.find((member) => member !== current);
      const info = String(await replica?.call('INFO', 'replication'));
      for (const fact of ['role:slave', `master_port:${current.port}`, 'master_link_status:up'])
        assert(info.includes(fact), `the replica is not up to date: ${info}`);
      const [known = []] = (await sentinel.call('SENTINEL', 'REPLICAS', MASTER)) as string[][];
      const of = (field: string) => known[known.indexOf(field) + 1];
      assert(of('flags') === 'slave' && of('master-link-status') === 'ok', `the Sentinel sees ${known}`);
    });
  await untilWhole();
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel.port}/${MASTER}`,
    masters: async () => [await master()],
    masterOf: master,
    async handOver(former) {
      // The Sentinel refuses while the last failover is not over.
      await eventually(() => sentinel.call('SENTINEL', 'FAILOVER', MASTER));
      await successorOf(former);
    },
    restart: async (member) => member.start(following(await successorOf(member))),
    untilWhole,
    stop: () => stopAll([sentinel, second, first]),
  };
}

/** Three masters with a replica each. */
export async function startRedisCluster(): Promise<RedundantRedis> {
  // A server keeps its place in the Cluster, also when it is started again.
  const places = mkdtempSync(join(tmpdir(), 'pts-redis-cluster-'));
  const remove = () => rmSync(places, { recursive: true, force: true });
  process.once('exit', remove);
  const members = await Promise.all(
    Array.from({ length: 2 * MASTERS }, (_, n) => startClusterMember(join(places, `nodes-${n}.conf`))),
  );
  const masters = members.slice(0, MASTERS);
  const [first, ...others] = members;
  if (!first) throw new Error('there is no server');
  for (const [n, master] of masters.entries()) await master.call('CLUSTER', 'ADDSLOTS', ...slotsOf(n));
  for (const { port } of others) await first.call('CLUSTER', 'MEET', '127.0.0.1', port);
  for (const [n, replica] of members.slice(MASTERS).entries()) {
    const id = String(await masters[n]?.call('CLUSTER', 'MYID'));
    await eventually(() => replica.call('CLUSTER', 'REPLICATE', id));
  }
  const untilWhole = async () => {
    for (const member of members) await eventually(() => expectWhole(member));
  };
  const parts = () => partsOf(members, first);
  // A server lists a replica once it has been told how far that one is, which may be after it is up to date.
  const replicaOf = (master: RedisMember) =>
    eventually(async () => {
      const replica = (await parts()).find((part) => part.master === master)?.replica;
      assert(replica, `${master.port} has no replica`);
      return replica;
    });
  await untilWhole();
  return {
    url: `redis+cluster://127.0.0.1:${first.port},127.0.0.1:${masters[1]?.port}`,
    masters: async () => (await parts()).map(({ master }) => master),
    async masterOf(key) {
      const slot = Number(await first.call('CLUSTER', 'KEYSLOT', key));
      const part = (await parts()).find(({ to }) => slot <= to);
      return part?.master ?? first;
    },
    async handOver(master) {
      const replica = await replicaOf(master);
      const hasTakenOver = async () => (await parts()).some((part) => part.master === replica);
      await eventually(async () => {
        if (await hasTakenOver()) return;
        await replica.call('CLUSTER', 'FAILOVER');
        await eventually(async () => assert(await hasTakenOver(), 'no replica took over'), {
          deadlineMs: HAND_OVER_MS,
        });
      });
    },
    restart: (member) => member.start(),
    untilWhole,
    stop: async () => {
      await stopAll(members);
      process.off('exit', remove);
      remove();
    },
  };
}

/** The parts of the keys with their servers, in the order of their slots. */
async function partsOf(members: readonly RedisMember[], member: RedisMember) {
  type Part = [from: number, to: number, ...nodes: [host: string, port: number][]];
  const parts = (await member.call('CLUSTER', 'SLOTS')) as Part[];
  return parts
    .toSorted(([a], [b]) => a - b)
    .map(([, to, ...nodes]) => {
      const [master, replica] = nodes.map(([, port]) => memberAt(members, port));
      assert(master, `there is no master up to slot ${to}`);
      return { to, master, replica };
    });
}

/** @throws unless a server of the Cluster sees all others, and all replicas are up to date. */
async function expectWhole(member: RedisMember): Promise<void> {
  const info = String(await member.call('CLUSTER', 'INFO'));
  for (const fact of ['cluster_state:ok', `cluster_slots_ok:${SLOTS}`, `cluster_known_nodes:${2 * MASTERS}`])
    assert(info.includes(fact), `the Cluster is not whole: ${info}`);
  const nodes = String(await member.call('CLUSTER', 'NODES'));
  const replicas = nodes.match(/slave [\da-f]{40} \d+ \d+ \d+ connected/g) ?? [];
  assert(replicas.length === MASTERS, `the Cluster lacks replicas: ${nodes}`);
  const replication = String(await member.call('INFO', 'replication'));
  const isFit = /connected_slaves:[1-9]|master_link_status:up/.test(replication);
  assert(isFit, `${member.port} does not replicate: ${replication}`);
}

const width = () => Math.ceil(SLOTS / MASTERS);

/** The slots of master n. */
function slotsOf(n: number): number[] {
  return Array.from({ length: Math.min(width(), SLOTS - n * width()) }, (_, i) => n * width() + i);
}

async function startClusterMember(place: string): Promise<RedisMember> {
  const settings = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '1000', 'cluster-config-file': place };
  return startRedisMember({ settings, port: await clusterPort() });
}

/** One that is free together with the bus's, which is not one that systems use for outgoing connections either. */
async function clusterPort(): Promise<number> {
  for (;;) {
    const port = await freePort('127.0.0.1', END_OF_PORTS - BUS);
    if ((await tryPort(port + BUS)) !== null) return port;
  }
}

function memberAt(members: readonly RedisMember[], port: number): RedisMember {
  const found = members.find((member) => member.port === port);
  assert(found, `no server has the port ${port}`);
  return found;
}

const stopAll = async (members: readonly RedisMember[]) => void (await Promise.all(members.map(({ stop }) => stop())));

/** A server of several, which can be lost. */
type RedisMember = {
  port: number;
  url: string;
  /** Sends one command. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** As kill -9 does. */
  kill(): Promise<void>;
  /** Starts it on its port after `kill`, without data. @param settings in place of its own. */
  start(settings?: Record<string, string>): Promise<void>;
  /** Suspends it: its connections stay open, and nothing is answered. @returns a function that continues it. */
  freeze(): Promise<() => void>;
  stop(): Promise<void>;
};

type Options = { settings?: Record<string, string>; sentinel?: string; port?: number };

async function startRedisMember(options: Options = {}): Promise<RedisMember> {
  let server = await startRedis(options);
  const { port, url } = server;
  const call: RedisMember['call'] = async (command, ...args) => {
    const client = new Redis(url, { maxRetriesPerRequest: null });
    client.on('error', () => {}); // it connects again
    try {
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  };
  const signal = async () => {
    const pid = Number(/process_id:(\d+)/.exec(String(await call('INFO', 'server')))?.[1]);
    return (name: NodeJS.Signals) => void process.kill(pid, name);
  };
  return {
    port,
    url,
    call,
    async kill() {
      (await signal())('SIGKILL');
      await server.stop(); // removes its files
    },
    start: async (settings = options.settings) => {
      server = await startRedis({ port, ...(settings && { settings }) });
    },
    async freeze() {
      const send = await signal();
      send('SIGSTOP');
      return () => send('SIGCONT');
    },
    stop: () => server.stop(),
  };
}
