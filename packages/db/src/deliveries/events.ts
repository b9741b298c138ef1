import type { Db } from '../connection/client.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { type Message, Prisma } from '../generated/client.ts';

/** A position in the feed: right after this message. Both are 64-bit numbers, as text. */
export type Place = { xact: string; position: string };

/** An event's exact body, as it is pushed. */
export type FeedEvent = { id: string; body: string; place: Place };

const FEED_EVENT = columns({
  id: column<Message['id']>('m.id'),
  body: column<Message['body']>('m.body'),
  xact: column<string>('m.xact::text'),
  position: column<string>('m.position::text'),
});

/** The oldest running transaction. */
const OLDEST_OPEN = columns({ xact: column<string>('pg_snapshot_xmin(pg_current_snapshot())::text') });
/** The next transaction to start. */
const NEXT_XACT = columns({ xact: column<bigint>('pg_snapshot_xmax(pg_current_snapshot())::text::bigint') });

export const BEGINNING: Place = { xact: '0', position: '0' };

/**
 * Up to `limit` events of an account after a place, in the order of the feed; of one parcel, in the order of their
 * `seq`. Only events older than every running transaction are read: no earlier event can appear later, so a
 * reader misses nothing.
 */
export async function listEvents(
  db: Db,
  { accountId, after, limit }: { accountId: string; after: Place; limit: number },
): Promise<FeedEvent[]> {
  const found = await rows(
    db,
    FEED_EVENT,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.messages m
      WHERE account_id = ${accountId} AND (xact, position) > (${after.xact}::bigint, ${after.position}::bigint)
        AND xact < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
      ORDER BY m.xact, m.position LIMIT ${limit}`,
  );
  return found.map(({ id, body, xact, position }) => ({ id, body, place: { xact, position } }));
}

/** The current end of the feed of every account. */
export async function endOfEvents(db: Db): Promise<Place> {
  const [row] = await rows(db, OLDEST_OPEN, (list) => Prisma.sql`SELECT ${list}`);
  return { xact: row?.xact ?? '0', position: '0' };
}

/** Whether a position can belong to this database: a restore from a dump renumbers transactions. */
export async function isKnownPlace(db: Db, { xact }: Place): Promise<boolean> {
  const [row] = await rows(db, NEXT_XACT, (list) => Prisma.sql`SELECT ${list}`);
  return row !== undefined && BigInt(xact) <= row.xact;
}
