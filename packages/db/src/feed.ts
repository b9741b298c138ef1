import type { Epoch, FeedPosition, Standing } from '@pts/core/continuation';
import type { TrackingEventKind } from '@pts/core/tracking/status';
import { column, columns, columnsOf, type Db, type HotTx, hotExecute, type RowOf, rows } from './connection.ts';
import { areOfTracking } from './deliveries/log.ts';
import { type Message, Prisma } from './generated/client.ts';

/** An event's exact body, as it is pushed. */
export type FeedEvent = { id: string; body: string; place: FeedPosition };

const OLDEST_OPEN = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** The server that a page was read from, at the moment at which it was read. */
const SERVER = columns({
  /** Null until `recordEpoch` has run in this epoch. */
  epochId: column<Epoch['id'] | null>('e.id'),
  oldestOpen: column<bigint>(OLDEST_OPEN),
  /** The next transaction to start. */
  nextXact: column<bigint>('pg_snapshot_xmax(pg_current_snapshot())::text::bigint'),
});
const EVENT = columns({
  id: column<Message['id'] | null>('m.id'),
  body: column<Message['body'] | null>('m.body'),
  xact: column<bigint | null>('m.xact'),
  position: column<bigint | null>('m.position'),
});

export type Server = RowOf<typeof SERVER>;
/**
 * `end`: the place of the last event that was read, also one that the filter leaves out; null for none. `isCut`: as
 * many were read as a page may read. `prunedTo`: the account's last event that was removed after its retention; null if
 * none was.
 */
export type Page = {
  server: Server;
  events: FeedEvent[];
  end: FeedPosition | null;
  isCut: boolean;
  prunedTo: FeedPosition | null;
};

/** Joins the server's current epoch `e`, if that is recorded. */
export const CURRENT_EPOCH = Prisma.sql`
  LEFT JOIN public.feed_epochs e ON e.system = public.feed_system() AND e.timeline = public.feed_timeline()`;

const OF_THIS_SERVER = Prisma.sql`(SELECT 1) one ${CURRENT_EPOCH}`;

/**
 * In a SELECT of its own, whose value the planner does not see: while an old transaction is open, it would expect a
 * nearly empty page, and read and sort all that is there.
 */
const BEFORE_OLDEST_OPEN = Prisma.raw(`xact < (SELECT ${OLDEST_OPEN})`);

const PRUNED = {
  prunedXact: column<bigint | null>('a.pruned_xact'),
  prunedPosition: column<bigint | null>('a.pruned_position'),
};
const PAGE = columns({ ...SERVER.columns, ...EVENT.columns, ...PRUNED });
/** The feed tells what happens to parcels. */
const OF_PARCELS = Prisma.raw("event <> 'account_notice'");

/** Only events of a kind, or of a parcel. */
export type FeedFilter = { event?: TrackingEventKind | undefined; trackingId?: string | undefined };
type PageRequest = { accountId: string; after: FeedPosition; limit: number; filter?: FeedFilter };

/** Events that a page with a filter reads at most: it may have fewer events than it could, even none. */
const MAX_FILTERED = 1000;

/**
 * Up to `limit` events of an account after a place, in the order of the feed; of one parcel, in the order of their
 * `seq`. Only events older than every running transaction are read: no earlier event can appear later, so a
 * reader misses nothing. The same statement says which server answers: a place means nothing on another one.
 */
export async function listEvents(db: Db, request: PageRequest): Promise<Page> {
  const found = await rows(db, PAGE, (list) => pageStatement(request, list));
  const read = found.flatMap(({ id, body, xact, position }) =>
    id === null || xact === null || position === null ? [] : { id, body, place: { xact, position } },
  );
  const events = read.flatMap(({ body, ...event }) => (body === null ? [] : { ...event, body }));
  const end = read.at(-1)?.place ?? null;
  const { prunedXact = null, prunedPosition = null } = found[0] ?? {};
  const prunedTo =
    prunedXact === null || prunedPosition === null ? null : { xact: prunedXact, position: prunedPosition };
  return { server: serverOf(found), events, end, isCut: isFiltered(request) && read.length === MAX_FILTERED, prunedTo };
}

/** The statement of a page; a separate function, so that a test can inspect its plan. */
export function pageStatement(request: PageRequest, list = Prisma.raw(PAGE.list)): Prisma.Sql {
  const { accountId, limit } = request;
  return Prisma.sql`
    SELECT ${list} FROM ${OF_THIS_SERVER} LEFT JOIN public.accounts a ON a.id = ${accountId} LEFT JOIN LATERAL (
      ${isFiltered(request) ? filtered(request) : inOrder(request, Prisma.sql`public.messages`, limit)}) m ON true
    ORDER BY m.xact, m.position`;
}

function isFiltered({ filter = {} }: PageRequest): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

function inOrder({ accountId, after }: PageRequest, messages: Prisma.Sql, limit: number): Prisma.Sql {
  return Prisma.sql`
      SELECT id, event, body, xact, position FROM ${messages}
      WHERE account_id = ${accountId} AND (xact, position) > (${after.xact}::bigint, ${after.position}::bigint)
        AND ${BEFORE_OLDEST_OPEN} AND ${OF_PARCELS}
      ORDER BY xact, position LIMIT ${limit}`;
}

/**
 * The next events up to the last that is wanted; those of other kinds without their bodies. The events of a parcel are
 * few, and read by its id.
 */
function filtered(request: PageRequest): Prisma.Sql {
  const { event, trackingId } = request.filter ?? {};
  const messages =
    trackingId === undefined
      ? Prisma.sql`public.messages`
      : Prisma.sql`(
          SELECT * FROM public.messages WHERE account_id = ${request.accountId} AND ${areOfTracking(trackingId)} OFFSET 0) t`;
  const isWanted = event === undefined ? Prisma.sql`true` : Prisma.sql`event = ${event}`;
  return Prisma.sql`
      SELECT id, CASE WHEN ${isWanted} THEN body END AS body, xact, position FROM (
        SELECT *, count(*) FILTER (WHERE ${isWanted}) OVER (ORDER BY xact, position) AS wanted
        FROM (${inOrder(request, messages, MAX_FILTERED)}) read) counted
      WHERE wanted <= ${request.limit}`;
}

const BEFORE = columns({ ...SERVER.columns, xact: EVENT.columns.xact, position: EVENT.columns.position });

/** The server, and the place that the newest `count` events of an account come after; null: they are all. */
export async function findPlaceBefore(
  db: Db,
  { accountId, count }: { accountId: string; count: number },
): Promise<{ server: Server; place: FeedPosition | null }> {
  const found = await rows(
    db,
    BEFORE,
    (list) => Prisma.sql`
      SELECT ${list} FROM ${OF_THIS_SERVER} LEFT JOIN LATERAL (
        SELECT xact, position FROM public.messages
        WHERE account_id = ${accountId} AND ${BEFORE_OLDEST_OPEN} AND ${OF_PARCELS}
        ORDER BY xact DESC, position DESC OFFSET ${count} LIMIT 1) m ON true`,
  );
  const { xact = null, position = null } = found[0] ?? {};
  return { server: serverOf(found), place: xact === null || position === null ? null : { xact, position } };
}

/** The server; `oldestOpen` is the current end of the feed of every account. */
export async function findServer(db: Db): Promise<Server> {
  return serverOf(await rows(db, SERVER, (list) => Prisma.sql`SELECT ${list} FROM ${OF_THIS_SERVER}`));
}

function serverOf([server]: readonly Server[]): Server {
  if (server) return server;
  throw new Error('a query of the server has answered no row');
}

/**
 * Records the server's current epoch. Any number of processes may do so at once. Pushes whose transactions were lost
 * with the last epoch may have used any number up to what their parcels had counted to: the seconds since 2026 are more
 * than that, also when this is the second restore of the same backup.
 */
export async function recordEpoch(db: HotTx): Promise<void> {
  await hotExecute(
    db,
    Prisma.sql`
      INSERT INTO public.feed_epochs (seq_floor) VALUES (extract(epoch FROM now() - '2026-01-01T00:00:00Z'::timestamptz)::int)
      ON CONFLICT (system, timeline) DO NOTHING`,
  );
}

const EPOCHS = columns({
  ...columnsOf<Epoch>('e')('id', 'system', 'timeline', 'firstXact'),
});

const STANDING = columns({
  ...SERVER.columns,
  timeline: column<number | null>('last.timeline'),
  isHere: column<boolean>('COALESCE(last.is_here, false)'),
  xact: column<bigint | null>('known.xact'),
  position: column<bigint | null>('known.position'),
});

/**
 * How a place of another epoch stands on this server. The reads are ranges of the feed's index, backwards from the
 * place; the second passes the events that the new timeline has stored under numbers that the reader has passed.
 * @returns null if the current epoch is not recorded.
 */
export async function findStanding(
  db: Db,
  { accountId, epochId, place }: { accountId: string; epochId: number; place: FeedPosition },
): Promise<Standing | null> {
  const epochs = await rows(db, EPOCHS, (list) => Prisma.sql`SELECT ${list} FROM public.feed_epochs e`);
  const epoch = epochs.find(({ id }) => id === epochId) ?? null;
  const upTo = Prisma.sql`(xact, position) <= (${place.xact}::bigint, ${place.position}::bigint)`;
  const [row] = await rows(
    db,
    STANDING,
    (list) => Prisma.sql`
      SELECT ${list} FROM ${OF_THIS_SERVER}
      LEFT JOIN LATERAL (
        SELECT timeline, (xact, position) = (${place.xact}::bigint, ${place.position}::bigint) AS is_here
        FROM public.messages WHERE account_id = ${accountId} AND ${upTo} ORDER BY xact DESC, position DESC LIMIT 1) last ON true
      LEFT JOIN LATERAL (
        SELECT xact, position FROM public.messages
        WHERE account_id = ${accountId} AND ${upTo} AND timeline <= ${epoch?.timeline ?? 0}::int
        ORDER BY xact DESC, position DESC LIMIT 1) known ON true`,
  );
  if (!row) throw new Error('a query of a place has answered no row');
  const { epochId: currentId, oldestOpen, timeline, isHere, xact, position } = row;
  const current = epochs.find(({ id }) => id === currentId);
  if (!current) return null;
  const lastKnown = xact === null || position === null ? null : { xact, position };
  return { current, epoch, oldestOpen, lastTimeline: timeline, lastKnown, isHere };
}
