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
/** A running server, and the folder of its data. */
type Primary = { server: Postgres; dir: string };
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
    // If nothing happens, because of another fault, there is nothing to be ahead of.
    await eventually(() => expectAhead(url, detachedAt, readers), { deadlineMs: AHEAD.deadlineMs }).catch(() => {});
    return failOver(pair, gate);
  };
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
  const before = await startPostgres({ dir: primary.dir, persistent: true });
  const lost = lostOf(await contentsOf(before.url), kept);
  await before.stop();
  await removePostgres(primary.dir, () => {});
  return { server: standby, lost };
}

/** @throws if there is no row. */
async function expectRow(url: string, from: string): Promise<void> {
  const { rowCount } = await queryOnce(url, `SELECT 1 ${from}`);
  if (!rowCount) throw new Error(`nothing ${from}`);
}

/** @throws unless all readers are ahead of the standby. */
async function expectAhead(url: string, detachedAt: Date, readers: readonly Reader[]): Promise<void> {
  const { rows } = await queryOnce<{ id: string }>(
    url,
    `SELECT id FROM messages WHERE created_at >= '${detachedAt.toISOString()}'`,
  );
  if (rows.length < AHEAD.min) throw new Error(`${rows.length} events`);
  for (const { seen } of readers) if (!rows.some(({ id }) => seen.has(id))) throw new Error('a reader is behind');
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
