import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { queryOnce } from '@pts/testing/database';

/** As durable as in production; the same for the cluster's servers and the single one. */
const DURABLE = { shared_buffers: '1GB', checkpoint_timeout: '30min', max_wal_size: '8GB', jit: 'off' };
const CITUS = {
  shared_preload_libraries: 'citus',
  wal_level: 'logical',
  max_prepared_transactions: '200',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.local_hostname': '127.0.0.1',
  'citus.shard_count': '8',
};
const WORKERS = 2;

export type Server = { url: string; stop(): Promise<void> };
export type Cluster = Server & {
  /** The coordinator's log, in which each refused statement is named. */
  log(): string;
};

/** One server without Citus, with the same binaries and settings. */
export async function startSingle(binaries: string): Promise<Server> {
  const { postgres, stop } = await startNode(binaries, {});
  return { url: postgres.url, stop };
}

/** A coordinator and two workers on 127.0.0.1, with nothing distributed. */
export async function startCluster(binaries: string): Promise<Cluster> {
  const nodes: Awaited<ReturnType<typeof startNode>>[] = [];
  const stop = async () => {
    for (const node of nodes.reverse()) await node.stop();
  };
  try {
    for (let n = 0; n <= WORKERS; n++) nodes.push(await startNode(binaries, CITUS));
    const [coordinator, ...workers] = nodes.map(({ postgres }) => postgres) as [Postgres, ...Postgres[]];
    const { password } = new URL(coordinator.url);
    for (const { url } of [coordinator, ...workers])
      await queryOnce(
        url,
        `ALTER ROLE postgres PASSWORD '${password}'; CREATE EXTENSION citus;
         INSERT INTO pg_dist_authinfo (nodeid, rolename, authinfo) VALUES (0, 'postgres', 'password=${password}')`,
      );
    await queryOnce(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
    for (const { port } of workers) await queryOnce(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${port})`);
    return { url: coordinator.url, log: () => readFileSync(join(nodes[0]?.dir ?? '', 'log'), 'utf8'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(binaries: string, more: Readonly<Record<string, string>>) {
  const dir = mkdtempSync(join(tmpdir(), 'pts-bench-citus-'));
  const postgres = await startPostgres({ dir, persistent: true, binaries, settings: { ...DURABLE, ...more } });
  const stop = async () => {
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { postgres, dir, stop };
}
