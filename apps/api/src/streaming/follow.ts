import { setTimeout as delay } from 'node:timers/promises';
import { readTrackingBody } from '@pts/core/webhook/push';
import type { FeedEvent } from '@pts/db/feed';
import { DEADLINES } from '@pts/db/pool';
import { type EventPage, readEvents } from '@pts/service/events';
import type { ApiDeps } from '../deps.ts';
import type { Exchange } from '../http/operation.ts';
import type { EventListener } from './event-hub.ts';
import type { Output } from './output.ts';

/** Events read by one statement. */
export const EVENTS_READ = 100;
/** Signals that come together are one read. */
const GATHER_MS = 50;
/** After a signal, the feed is read again until every transaction has ended that may have stored the events. */
const AGAIN_MS = { first: 50, max: 2000 };
/** After this long, clients connect again. */
const RETRY_MS = 2000;

const HEARTBEAT = ':\n\n';
const END = ': the stream ends here; continue with Last-Event-ID\n\n';

type Followed = {
  first: EventPage;
  listener: EventListener;
  output: Output<string>;
  confirm: Exchange['confirm'];
};

/**
 * Writes the events of an account as they become readable, until the reader has gone, the process stops, or the stream is as old as
 * it may become. Backpressure: events are read only as fast as they are written. The key is confirmed before each page and each event.
 * @param followed its first page, which is read already.
 * @throws ServiceError `unauthorized` when the key was revoked; `conflict` after a failover that lost events.
 */
export function followEvents(deps: ApiDeps, accountId: string, followed: Followed): Promise<void> {
  return follow({ ...deps, db: deps.db.$within(DEADLINES.statement) }, accountId, followed);
}

async function follow(deps: ApiDeps, accountId: string, followed: Followed): Promise<void> {
  const { stopping, events } = deps.streams;
  const { output } = followed;
  const ended = AbortSignal.any([output.gone, stopping, AbortSignal.timeout(events.lifeMs)]);
  const heartbeat = setInterval(() => output.offer(HEARTBEAT), events.heartbeatMs);
  try {
    await writeEvents(deps, accountId, followed, ended);
  } finally {
    clearInterval(heartbeat);
  }
  if (!output.gone.aborted) await output.end(END);
}

async function writeEvents(
  deps: ApiDeps,
  accountId: string,
  { first, listener, output, confirm }: Followed,
  ended: AbortSignal,
): Promise<void> {
  const slices = deps.bulkhead.slices(accountId);
  /** Events of transactions before this one may have been signalled, but not be readable yet. */
  let awaited: bigint | null = null;
  let againMs = AGAIN_MS.first;
  // The place, for clients that lose the connection before the first event.
  await output.write(`retry: ${RETRY_MS}\n${first.events.length === 0 ? `id: ${first.nextCursor}\n` : ''}\n`);
  for (let page = first; ; ) {
    for (const event of page.events) {
      if (ended.aborted) return;
      // A reader may take minutes for a page.
      await confirm();
      await output.write(textOf(event, page.cursorAfter(event)));
      await slices.next();
    }
    let isSignalled = false;
    if (!page.hasMore) {
      if (awaited !== null && page.server.oldestOpen >= awaited) awaited = null;
      isSignalled = await listener.wait(awaited === null ? deps.streams.events.pollMs : againMs, ended);
      againMs = isSignalled || awaited === null ? AGAIN_MS.first : Math.min(2 * againMs, AGAIN_MS.max);
      if (isSignalled) await delay(GATHER_MS);
    }
    if (ended.aborted) return;
    await confirm();
    page = await readEvents(deps, { accountId, after: page.nextCursor, limit: EVENTS_READ });
    if (isSignalled) awaited = page.server.nextXact;
    slices.resume();
  }
}

/** The event exactly as in the feed, whose cursor is its id. */
function textOf({ id, body }: FeedEvent, cursor: string): string {
  const event = readTrackingBody(body);
  return `id: ${cursor}\nevent: ${event.event}\ndata: ${JSON.stringify({ id, ...event })}\n\n`;
}
