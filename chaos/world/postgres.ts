import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Postgres, removePostgres, startPostgres } from '@pts/embedded/postgres';
import { migrateDatabase, queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import { type Standby, startStandby, systemPostgres } from '@pts/testing/servers/postgres';
import pg from 'pg';
import type { FeedReader, Lost } from '../ledger/facts.ts';

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
  /**
   * Ends the services' connections and occupies all connections of the server.
   * @returns a function that releases them.
   */
  takeConnections(): Promise<() => Promise<void>>;
  /**
   * Detaches a standby: what is committed from now on is lost in the failover. @returns the failover: the server is
   * killed and the standby promoted, once these readers of the feed are ahead of it.
   */
  detachStandby(readers: readonly FeedReader[]): Promise<() => Promise<void>>;
  /**
   * Dumps the server: what is committed from now on is lost when it is killed and the dump restored elsewhere, which it
   * returns.
   */
  dump(readers: readonly FeedReader[]): Promise<() => Promise<void>>;
  /**
   * Attaches a standby for which every commit waits: nothing that was committed is lost in the failover, which it
   * returns.
   */
  attachStandby(): Promise<() => Promise<void>>;
  /** Everything that asynchronous failovers have lost so far. */
  lost: Lost;
  /** Data found only on servers that were killed while their commits waited for a standby: nobody may have seen it. */
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

function nothingLost(): Lost {
  return { parcels: new Map(), messages: new Set(), unlogged: new Set() };
}

/** Adds what a failover has lost to what was lost before. */
function addLost(sum: Lost, lost: Lost): void {
  for (const [id, parcel] of lost.parcels) sum.parcels.set(id, parcel);
  for (const id of lost.messages) sum.messages.add(id);
  for (const id of lost.unlogged) sum.unlogged.add(id);
}

type Reader = Pick<FeedReader, 'seen'>;
/**
 * A running server, the folder of its data, and its programs; without any, those in node_modules, which have no
 * pg_dump.
 */
type Primary = { server: Postgres; dir: string; binaries: string | undefined };
type Pair = { primary: Primary; standby: Standby; replication: Gate };
/**
 * Kills the server, promotes its standby and leads the services there. @returns the promoted server, and what only the
 * killed one had.
 */
type FailOver = (gate: Gate) => Promise<{ server: Postgres; lost: Lost }>;

/**
 * Transactions of something else: the ids that the promoted server gives take a while to catch up with those of the
 * lost ones.
 */
const OTHER_WORK = 'DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$';

/** Events that only the server that dies has. */
const AHEAD = { min: 10, deadlineMs: 240_000 };
/** Less than `databaseRequestTimeoutMs`: PostgreSQL keeps a commit whose wait is cancelled. */
const WAITING_MS = 3000;
/** Commits that wait for the standby when the server dies. */
const MIN_WAITING = 3;

/**
 * Starts a standby of a server, waits until it has caught up, and cuts it off: what is committed from now on is lost.
 * @param readers of the feed, which have all read some of that before the failover.
 */
async function detachStandby(primary: Primary, dir: string, readers: readonly Reader[]): Promise<FailOver> {
  const pair = await startPair(primary, dir);
  const { url } = primary.server;
  pair.replication.set('mute');
  await queryOnce(url, OTHER_WORK);
  const detachedAt = new Date();
  return async (gate) => {
    await untilAhead(url, detachedAt, readers);
    return failOver(pair, gate);
  };
}

/**
 * Dumps a server: what is committed from now on is lost. The dump is restored into a new cluster, with the statement
 * that `docs/operations.md` has for the feed.
 */
async function dump(primary: Primary, dir: string, readers: readonly Reader[]): Promise<FailOver> {
  const { binaries } = primary;
  if (binaries === undefined)
    throw new Error('this fault needs pg_dump: install the packages postgresql and postgresql-client');
  const run = (program: string, ...args: string[]) => promisify(execFile)(join(binaries, 'bin', program), args);
  const file = `${dir}.dump`;
  await run('pg_dump', '--format=custom', `--file=${file}`, primary.server.url);
  const dumpedAt = new Date();
  return async (gate) => {
    await untilAhead(primary.server.url, dumpedAt, readers);
    primary.server.quit();
    await primary.server.exited;
    const before = await contentsOfKilled(primary);
    const server = await startPostgres({ dir, persistent: true, binaries });
    await run('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${server.url}`, file);
    await queryOnce(server.url, 'UPDATE messages SET xact = 0');
    const lost = lostOf(before, await contentsOf(server.url));
    // The services have the address of the old server.
    const { password } = new URL(primary.server.url);
    await queryOnce(server.url, `ALTER ROLE postgres PASSWORD '${password}'`);
    copyFileSync(join(primary.dir, 'password'), join(dir, 'password'));
    const url = Object.assign(new URL(server.url), { password }).href;
    gate.redirect(url);
    rmSync(file);
    await removePostgres(primary.dir, () => {});
    return { server: { ...server, url }, lost };
  };
}

/**
 * Waits until readers have what will be lost. If nothing happens, because of another fault, there is nothing to wait
 * for.
 */
async function untilAhead(url: string, since: Date, readers: readonly Reader[]): Promise<void> {
  await eventually(() => expectAhead(url, since, readers), { deadlineMs: AHEAD.deadlineMs }).catch(() => {});
}

/**
 * Starts a standby of a server, without which nothing is committed from now on. The failover happens while commits wait
 * for it.
 * @param isSynchronous false: a negative control, in which the server does not wait.
 */
async function attachStandby(primary: Primary, dir: string, isSynchronous: boolean): Promise<FailOver> {
  const pair = await startPair(primary, dir);
  const { url } = primary.server;
  if (isSynchronous) {
    await queryOnce(url, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
    await queryOnce(url, 'SELECT pg_reload_conf()');
    await eventually(() => expectRow(url, `FROM pg_stat_replication WHERE sync_state = 'sync'`));
  }
  return async (gate) => {
    pair.replication.set('mute');
    const waiting = `FROM pg_stat_activity WHERE wait_event = 'SyncRep' HAVING count(*) >= ${MIN_WAITING}`;
    // If nothing happens, because of another fault, none wait.
    await eventually(() => expectRow(url, waiting), { deadlineMs: WAITING_MS }).catch(() => {});
    return failOver(pair, gate);
  };
}

async function startPair(primary: Primary, dir: string): Promise<Pair> {
  const { url, port } = primary.server;
  const replication = await startGate(url, port);
  const standby = await startStandby({
    primary: { url, dir: primary.dir },
    dir,
    persistent: true,
    through: replication.url,
    binaries: primary.binaries,
  });
  await standby.catchUp();
  return { primary, standby, replication };
}

async function failOver({ primary, standby, replication }: Pair, gate: Gate) {
  primary.server.quit();
  await primary.server.exited;
  await replication.close();
  await standby.promote();
  const kept = await contentsOf(standby.url);
  gate.redirect(standby.url);
  const lost = lostOf(await contentsOfKilled(primary), kept);
  await removePostgres(primary.dir, () => {});
  return { server: standby, lost };
}

/** @throws if there is no row. */
async function expectRow(url: string, from: string): Promise<void> {
  const { rowCount } = await queryOnce(url, `SELECT 1 ${from}`);
  if (!rowCount) throw new Error(`nothing ${from}`);
}

/** @throws unless all readers are ahead of what is kept. */
async function expectAhead(url: string, detachedAt: Date, readers: readonly Reader[]): Promise<void> {
  const { rows } = await queryOnce<{ id: string }>(
    url,
    `SELECT id FROM messages WHERE created_at >= '${detachedAt.toISOString()}'`,
  );
  if (rows.length < AHEAD.min) throw new Error(`${rows.length} events`);
  for (const { seen } of readers) if (!rows.some(({ id }) => seen.has(id))) throw new Error('a reader is behind');
}

/** The contents of a server at the time it was killed. */
async function contentsOfKilled({ dir, binaries }: Primary): Promise<Contents> {
  const server = await startPostgres({ dir, binaries, persistent: true });
  const contents = await contentsOf(server.url);
  await server.stop();
  return contents;
}

type Contents = Awaited<ReturnType<typeof contentsOf>>;

async function contentsOf(url: string) {
  const parcels = await queryOnce<{ id: string; account: string; number: string }>(
    url,
    'SELECT id, account_id AS account, tracking_number AS number FROM trackings',
  );
  const messages = await queryOnce<{ id: string; attempts: number; isPending: boolean }>(
    url,
    `SELECT m.id, count(a.id)::int AS attempts, COALESCE(bool_or(d.state = 'owed'), false) AS "isPending" FROM messages m
     LEFT JOIN deliveries d ON d.message_id = m.id LEFT JOIN delivery_attempts a ON a.delivery_id = d.id GROUP BY m.id`,
  );
  return { parcels: parcels.rows, messages: new Map(messages.rows.map((row) => [row.id, row])) };
}

function lostOf(before: Contents, kept: Contents): Lost {
  const lost = nothingLost();
  const keptParcels = new Set(kept.parcels.map(({ id }) => id));
  for (const { id, account, number } of before.parcels)
    if (!keptParcels.has(id)) lost.parcels.set(id, { account, number });
  for (const [id, { attempts, isPending }] of before.messages) {
    const same = kept.messages.get(id);
    if (!same) lost.messages.add(id);
    if (isPending || attempts > (same?.attempts ?? 0)) lost.unlogged.add(id);
  }
  return lost;
}
