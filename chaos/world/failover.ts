import { execFile } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Postgres, removePostgres, startPostgres } from '@pts/embedded/postgres';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/gate';
import { type Standby, startStandby } from '@pts/testing/servers/standby';
import type { FeedReader, Lost } from '../ledger/facts.ts';

export function nothingLost(): Lost {
  return { parcels: new Map(), messages: new Set(), unlogged: new Set() };
}

/** Adds what a failover has lost to what was lost before. */
export function addLost(sum: Lost, lost: Lost): void {
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
 * Kills the server, promotes its standby and leads the services there. @returns the promoted server, and what only the killed
 * one had.
 */
export type FailOver = (gate: Gate) => Promise<{ server: Postgres; lost: Lost }>;

/** Transactions of something else: the ids that the promoted server gives take a while to catch up with those of the lost ones. */
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
export async function detachStandby(primary: Primary, dir: string, readers: readonly Reader[]): Promise<FailOver> {
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
export async function dump(primary: Primary, dir: string, readers: readonly Reader[]): Promise<FailOver> {
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
 * Starts a standby of a server, without which nothing is committed from now on. The failover happens while commits wait for it.
 * @param isSynchronous false: a negative control, in which the server does not wait.
 */
export async function attachStandby(primary: Primary, dir: string, isSynchronous: boolean): Promise<FailOver> {
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

/** What a server had when it was killed. */
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
