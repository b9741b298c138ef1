import { type Postgres, removePostgres, startPostgres } from '@pts/embedded/postgres';
import { queryOnce } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/gate';
import { startStandby } from '@pts/testing/servers/standby';
import type { Lost } from '../ledger/facts.ts';

export function nothingLost(): Lost {
  return { parcels: new Map(), messages: new Set(), unlogged: new Set() };
}

/** Transactions of something else: the ids that the promoted server gives take a while to catch up with those of the lost ones. */
const OTHER_WORK = 'DO $$ BEGIN FOR n IN 1..3000 LOOP PERFORM pg_current_xact_id(); COMMIT; END LOOP; END $$';

/** Events that only the server that dies has, and that readers have had the time to read. */
const AHEAD = { min: 10, seconds: 2, deadlineMs: 60_000 };

/**
 * Starts a standby of a server, waits until it has caught up, and cuts it off.
 * @returns the failover: kills the server, promotes the standby, leads the services there and adds to what was lost.
 */
export async function detachStandby(
  primary: { server: Postgres; dir: string },
  dir: string,
): Promise<(gate: Gate, lost: Lost) => Promise<Postgres>> {
  const { server } = primary;
  const replication = await startGate(server.url, server.port);
  const standby = await startStandby({
    primary: { url: server.url, dir: primary.dir },
    dir,
    persistent: true,
    through: replication.url,
  });
  await standby.catchUp();
  replication.set('mute');
  await queryOnce(server.url, OTHER_WORK);
  const detachedAt = new Date();
  return async (gate, lost) => {
    // If nothing happens, because of another fault, there is nothing to be ahead of.
    await eventually(() => expectAhead(server.url, detachedAt), { deadlineMs: AHEAD.deadlineMs }).catch(() => {});
    server.quit();
    await server.exited;
    await replication.close();
    await standby.promote();
    const kept = await contentsOf(standby.url);
    gate.redirect(standby.url);
    const before = await startPostgres({ dir: primary.dir, persistent: true });
    addLost(lost, await contentsOf(before.url), kept);
    await before.stop();
    await removePostgres(primary.dir, () => {});
    return standby;
  };
}

/** @throws if readers can hardly be ahead of the standby. */
async function expectAhead(url: string, detachedAt: Date): Promise<void> {
  const { rows } = await queryOnce<{ ahead: number }>(
    url,
    `SELECT count(*)::int AS ahead FROM messages
     WHERE created_at BETWEEN '${detachedAt.toISOString()}' AND now() - interval '${AHEAD.seconds} seconds'`,
  );
  const ahead = rows[0]?.ahead ?? 0;
  if (ahead < AHEAD.min) throw new Error(`${ahead} events`);
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

function addLost(lost: Lost, before: Contents, kept: Contents): void {
  const keptParcels = new Set(kept.parcels.map(({ id }) => id));
  for (const { id, account, number } of before.parcels)
    if (!keptParcels.has(id)) lost.parcels.set(id, { account, number });
  for (const [id, { attempts, isPending }] of before.messages) {
    const same = kept.messages.get(id);
    if (!same) lost.messages.add(id);
    if (isPending || attempts > (same?.attempts ?? 0)) lost.unlogged.add(id);
  }
}
