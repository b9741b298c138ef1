import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Postgres, startPostgres } from '@pts/embedded/postgres';
import { queryOnce } from '@pts/testing/database';
import { startGate } from '@pts/testing/gate';
import { migrateDatabase } from '@pts/testing/migrate';
import { systemPostgres } from '@pts/testing/servers/system-postgres';
import pg from 'pg';
import type { FeedReader, Lost } from '../ledger/facts.ts';
import { addLost, attachStandby, detachStandby, dump, type FailOver, nothingLost } from './failover.ts';

/** A migrated PostgreSQL with durable settings, and its possible faults. */
export type WorldPostgres = {
  /** For the services, through a gate. */
  url: string;
  /** For us; another one after a failover. */
  readonly directUrl: string;
  gate: Awaited<ReturnType<typeof startGate>>;
  /** `immediate`: without a clean shutdown. Both keep the data. */
  stop(how: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Locks a table, so that nothing else can read or write it. @returns a function that releases it. */
  lock(table: string): Promise<() => Promise<void>>;
  /** Refuses new rows as a full disk does: the rest can be read and changed. @returns a function that ends it. */
  fill(): Promise<() => Promise<void>>;
  /** Ends the services' connections and occupies all connections of the server. @returns a function that releases them. */
  takeConnections(): Promise<() => Promise<void>>;
  /**
   * Detaches a standby: what is committed from now on is lost in the failover. @returns the failover: the server is killed and
   * the standby promoted, once these readers of the feed are ahead of it.
   */
  detachStandby(readers: readonly FeedReader[]): Promise<() => Promise<void>>;
  /**
   * Dumps the server: what is committed from now on is lost when it is killed and the dump restored elsewhere, which it
   * returns.
   */
  dump(readers: readonly FeedReader[]): Promise<() => Promise<void>>;
  /** Attaches a standby for which every commit waits: nothing that was committed is lost in the failover, which it returns. */
  attachStandby(): Promise<() => Promise<void>>;
  /** What asynchronous failovers have lost so far. */
  lost: Lost;
  /** What only servers had that were killed while their commits waited for a standby: nobody may have seen it. */
  unconfirmed: Lost;
  close(): Promise<void>;
};

/** @param isSynchronous false: a negative control, in which commits do not wait for attached standbys. */
export async function startWorldPostgres({ isSynchronous = true } = {}): Promise<WorldPostgres> {
  const parent = mkdtempSync(join(tmpdir(), 'pts-chaos-postgres-'));
  chmodSync(parent, 0o755); // as root, the servers run as another user
  const remove = () => rmSync(parent, { recursive: true, force: true });
  process.once('exit', remove); // the run was interrupted; the server ends with us
  let home = join(parent, '0');
  const { binaries } = await systemPostgres().catch(() => ({ binaries: undefined }));
  let server: Postgres = await startPostgres({ dir: home, persistent: true, binaries });
  await migrateDatabase(server.url);
  const gate = await startGate(server.url, server.port);
  const [lost, unconfirmed] = [nothingLost(), nothingLost()];
  let failovers = 0;
  let isRunning = true;
  const stop = async (how: 'fast' | 'immediate') => {
    isRunning = false;
    if (how === 'immediate') server.quit();
    else await server.stop();
    await server.exited;
  };
  /** @param standbyIn starts a standby in a folder. @param sum what its failover adds to. */
  const prepare = async (standbyIn: (dir: string) => Promise<FailOver>, sum: Lost) => {
    failovers += 1;
    const next = join(parent, String(failovers));
    const failOver = await standbyIn(next);
    return async () => {
      const promoted = await failOver(gate);
      server = promoted.server;
      home = next;
      addLost(sum, promoted.lost);
    };
  };
  return {
    url: gate.url,
    get directUrl() {
      return server.url;
    },
    gate,
    lost,
    unconfirmed,
    detachStandby: (readers) => prepare((dir) => detachStandby({ server, dir: home, binaries }, dir, readers), lost),
    dump: (readers) => prepare((dir) => dump({ server, dir: home, binaries }, dir, readers), lost),
    attachStandby: () =>
      prepare((dir) => attachStandby({ server, dir: home, binaries }, dir, isSynchronous), unconfirmed),
    stop,
    start: async () => {
      if (!isRunning) server = await startPostgres({ dir: home, port: server.port, persistent: true, binaries });
      isRunning = true;
    },
    lock: (table) => lock(server.url, table),
    fill: () => fill(server.url),
    takeConnections: () => takeConnections(server.url),
    close: async () => {
      await gate.close();
      if (isRunning) await stop('fast');
      process.off('exit', remove);
      remove();
    },
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {}); // the server may be stopped in between
  await client.connect();
  return client;
}

async function lock(url: string, table: string): Promise<() => Promise<void>> {
  const client = await connect(url);
  await client.query(`BEGIN; LOCK TABLE ${pg.escapeIdentifier(table)} IN ACCESS EXCLUSIVE MODE`);
  return () => client.end();
}

/** Tables that grow with every registration, check and push. */
const GROWING = ['trackings', 'messages', 'deliveries', 'delivery_attempts'];

async function fill(url: string): Promise<() => Promise<void>> {
  const onAll = (statement: (table: string) => string) => queryOnce(url, GROWING.map(statement).join('; '));
  await queryOnce(
    url,
    `CREATE OR REPLACE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
  );
  await onAll((table) => `CREATE TRIGGER disk_full BEFORE INSERT ON ${table} EXECUTE FUNCTION disk_full()`);
  return async () => void (await onAll((table) => `DROP TRIGGER disk_full ON ${table}`));
}

const TERMINATE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND application_name <> 'chaos'`;
const TAKERS = 8;

/** Until the fault ends, connections that the services regain are closed and occupied again. */
async function takeConnections(url: string): Promise<() => Promise<void>> {
  const ours = new URL(url);
  ours.searchParams.set('application_name', 'chaos');
  const admin = await connect(ours.href);
  const taken: pg.Client[] = [];
  let isHealed = false;
  const take = async () => {
    while (!isHealed) {
      const client = await connect(ours.href).catch(() => null);
      if (client === null) return;
      taken.push(client);
    }
  };
  const takeAll = async () => void (await Promise.all(Array.from({ length: TAKERS }, take)));
  await takeAll();
  const keeping = (async () => {
    while (!isHealed) {
      await admin.query(TERMINATE);
      await takeAll();
    }
  })();
  return async () => {
    isHealed = true;
    await keeping;
    await Promise.all([admin, ...taken].map((client) => client.end()));
  };
}

/** Reads rows, bypassing the gate. */
export async function rowsOf<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  return (await queryOnce<Row>(url, sql)).rows;
}
