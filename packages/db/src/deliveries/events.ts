import type { Db } from '../connection/client.ts';

/** A place in the feed: just after this message. Both are 64-bit numbers, as text. */
export type Place = { xact: string; position: string };

/** An event's exact body, as it is pushed. */
export type FeedEvent = { id: string; body: string; place: Place };

export const BEGINNING: Place = { xact: '0', position: '0' };

/**
 * Up to `limit` events of an account after a place, in the order of the feed; of one parcel, in the order of their
 * `seq`. Only what is older than every transaction still under way is read: nothing can come before it any more, so a
 * reader misses nothing.
 */
export async function listEvents(
  db: Db,
  { accountId, after, limit }: { accountId: string; after: Place; limit: number },
): Promise<FeedEvent[]> {
  const rows = await db.$queryRaw<{ id: string; body: string; xact: string; position: string }[]>`
    SELECT id, body, xact::text AS xact, position::text AS position FROM public.messages
    WHERE account_id = ${accountId} AND (xact, position) > (${after.xact}::bigint, ${after.position}::bigint)
      AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    ORDER BY messages.xact, messages.position LIMIT ${limit}`;
  return rows.map(({ id, body, xact, position }) => ({ id, body, place: { xact, position } }));
}

/** The end of every account's feed: what is read after it has not been readable yet. */
export async function endOfEvents(db: Db): Promise<Place> {
  const [row] = await db.$queryRaw<{ xact: string }[]>`SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS xact`;
  return { xact: row?.xact ?? '0', position: '0' };
}

/** Whether a place can be of this database: after a restore from a dump, transactions are numbered anew. */
export async function isKnownPlace(db: Db, { xact }: Place): Promise<boolean> {
  const [row] = await db.$queryRaw<{ known: boolean }[]>`
    SELECT ${xact}::bigint <= pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS known`;
  return row?.known ?? false;
}
