import { BEGINNING, type FeedPosition, isBefore, positionToContinue } from '@pts/core/continuation';
import { refusedField, ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import {
  type FeedEvent,
  type FeedFilter,
  findPlaceBefore,
  findServer,
  findStanding,
  listEvents,
  type Page,
  recordEpoch,
  type Server,
} from '@pts/db/feed';
import type { ServiceContext } from './context.ts';

type Context = Pick<ServiceContext, 'db' | 'tokens'>;
type KnownServer = Server & { epochId: number };

export type EventPage = {
  events: FeedEvent[];
  nextCursor: string;
  hasMore: boolean;
  /** The cursor after one of the events. */
  cursorAfter(event: FeedEvent): string;
  /**
   * Events of transactions from `oldestOpen` on are not readable yet; when the page was read, those up to `nextXact`
   * had begun.
   */
  server: Pick<Server, 'oldestOpen' | 'nextXact'>;
};

/**
 * The account's next events after a cursor, and the cursor after them.
 * @param after a cursor, or undefined for the oldest event.
 * @param filter a page may have fewer events than it could, even none, and still have more behind it.
 * @throws ServiceError `invalid_field` if it is none; `conflict`, with the cursor to go on from, if the server cannot
 *   continue it without a gap.
 */
export async function readEvents(
  ctx: Context,
  {
    accountId,
    after,
    limit,
    filter = {},
  }: { accountId: string; after: string | undefined; limit: number; filter?: FeedFilter },
): Promise<EventPage> {
  const cursor = after === undefined ? null : openCursor(ctx, accountId, after);
  const place = cursor?.place ?? BEGINNING;
  // One more than requested shows whether there is more.
  const page = await withEpoch(ctx, () => listEvents(ctx.db, { accountId, after: place, limit: limit + 1, filter }));
  const goOn = cursor === null ? place : await placeAfter(ctx, accountId, cursor, page.server);
  const cursorAt = (at: FeedPosition) => sealCursor(ctx, accountId, page.server, at);
  const refuse = (text: Message, at: FeedPosition, details?: object) =>
    new ServiceError('conflict', { text, details: { next_cursor: cursorAt(at), ...details } });
  if (isBefore(goOn, place) || isBefore(place, goOn)) throw refuse(message('cursor_outdated'), goOn);
  // From the beginning means: with the oldest event that there is.
  const { prunedTo } = page;
  if (prunedTo !== null && isBefore(BEGINNING, place) && isBefore(place, prunedTo))
    throw refuse(message('cursor_expired'), prunedTo, { events_removed: true });
  const events = page.events.slice(0, limit);
  const hasMore = page.events.length > limit;
  return {
    events,
    nextCursor: cursorAt((hasMore ? events.at(-1)?.place : page.end) ?? place),
    hasMore: hasMore || page.isCut,
    cursorAfter: (event) => cursorAt(event.place),
    server: page.server,
  };
}

/** A cursor at the current end of the feed. */
export async function endOfFeed(ctx: Context, accountId: string): Promise<string> {
  const { server } = await withEpoch(ctx, async () => ({ server: await findServer(ctx.db) }));
  return sealCursor(ctx, accountId, server, { xact: server.oldestOpen, position: 0n });
}

/**
 * The cursor that a reader of the feed starts after, by the parameters of its request; undefined: with the oldest
 * event.
 * @param last the number of newest events to start with.
 */
export async function startOfFeed(
  ctx: Context,
  accountId: string,
  { after, last }: { after: string | undefined; last: number | undefined },
): Promise<string | undefined> {
  if (after === 'latest') return endOfFeed(ctx, accountId);
  if (after || last === undefined) return after || undefined;
  const { server, place } = await withEpoch(ctx, () => findPlaceBefore(ctx.db, { accountId, count: last }));
  return sealCursor(ctx, accountId, server, place ?? BEGINNING);
}

/** Where the reader of a cursor goes on, on the server that its page was read from. */
async function placeAfter(
  ctx: Context,
  accountId: string,
  { epochId, place }: Cursor,
  server: KnownServer,
): Promise<FeedPosition> {
  // A server that was set back without a new timeline, such as from a snapshot of its disk: what it has lost is not
  // known.
  if (epochId === server.epochId) return place.xact <= server.nextXact ? place : BEGINNING;
  const standing = await findStanding(ctx.db, { accountId, epochId, place });
  // Promoted in between: the next request is answered by one server.
  if (standing?.current.id !== server.epochId) throw new ServiceError('unavailable');
  return positionToContinue(place, standing);
}

/** The first reader after a promotion records the new epoch, and reads again. */
async function withEpoch<T extends Pick<Page, 'server'>>(
  { db }: Context,
  read: () => Promise<T>,
): Promise<T & { server: KnownServer }> {
  for (let tries = 0; tries < 2; tries++) {
    const answer = await read();
    const { epochId } = answer.server;
    if (epochId !== null) return { ...answer, server: { ...answer.server, epochId } };
    await recordEpoch(db);
  }
  throw new ServiceError('unavailable');
}

/** A place in the feed, and the server's epoch in which it was reached. */
type Cursor = { epochId: number; place: FeedPosition };

const KIND = 'events';

/** The cursor as its account sees it. */
export function sealCursor(
  { tokens }: Pick<ServiceContext, 'tokens'>,
  accountId: string,
  { epochId }: { epochId: number },
  { xact, position }: FeedPosition,
): string {
  return tokens.seal({ kind: KIND, accountId }, [BigInt(epochId), xact, position]);
}

/** @throws ServiceError `invalid_field` for anything that was not given out to this account. */
export function openCursor({ tokens }: Pick<ServiceContext, 'tokens'>, accountId: string, text: string): Cursor {
  const [epochId, xact, position] = tokens.open({ kind: KIND, accountId }, text) ?? [];
  if (epochId !== undefined && xact !== undefined && position !== undefined)
    return { epochId: Number(epochId), place: { xact, position } };
  throw refusedField('after', message('field.feed_cursor'));
}
