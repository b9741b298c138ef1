import { setTimeout as delay } from 'node:timers/promises';
import { limitOf } from '@pts/contract/common';
import * as contract from '@pts/contract/events';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { jsonIn, message, readMessage } from '@pts/core/languages/message';
import { toUtcSeconds } from '@pts/core/time';
import { readTrackingBody } from '@pts/core/webhook/push';
import { type EventDelivery, messagesOfTracking } from '@pts/db/deliveries/log';
import type { FeedEvent } from '@pts/db/feed';
import { DEADLINES } from '@pts/db/pool';
import { type EventPage, endOfFeed, readEvents, startOfFeed } from '@pts/service/events';
import { withStreamLease } from '@pts/service/streams';
import { findRegistered } from '@pts/service/trackings/trackings';
import type { Request } from 'express';
import type { ApiDeps } from '../deps.ts';
import { helpAddress } from '../http/addresses.ts';
import { messageLanguage, V1 } from '../http/answers.ts';
import { toApiError } from '../http/errors.ts';
import { type Caller, type Exchange, operation, streamOperation } from '../http/operation.ts';
import type { EventListener } from '../streaming/hubs.ts';
import { type Output, openSse } from '../streaming/output.ts';

/** GET /events */
export const listEvents = operation(contract.listEvents, {
  async run(deps, { account }, { after: given, last, limit: limitText, event, tracking_id: trackingId }) {
    const accountId = account.id;
    if (given === 'latest') return { events: [], next_cursor: await endOfFeed(deps, accountId), has_more: false };
    const after = await startOfFeed(deps, accountId, {
      after: given,
      last: last === undefined ? undefined : Number(last),
    });
    const limit = limitOf(limitText);
    const page = await readEvents(deps, { accountId, after, limit, filter: { event, trackingId } });
    return {
      events: page.events.map(({ id, body }) => ({ id, ...readTrackingBody(body) })),
      next_cursor: page.nextCursor,
      has_more: page.hasMore,
    };
  },
});

/** GET /events/stream */
export const streamEvents = streamOperation(contract.streamEvents, {
  async stream(deps, caller, { request, response, confirm }) {
    const { account, baseUrl } = caller;
    const accountId = account.id;
    const { hub, maxConcurrency } = deps.streams.events;
    const listener = hub.listen(accountId);
    if (listener === null) throw new ServiceError('unavailable', { text: message('streams_full') });
    try {
      await withStreamLease(deps, { accountId, kind: 'events', max: maxConcurrency }, async () => {
        // Before the response begins, so that a refused cursor is a response like any other.
        const after = await startOf(deps, caller, request);
        const first = await readEvents(deps, { accountId, after, limit: EVENTS_READ });
        const output = openSse(request, response, deps.streams.stalledMs);
        // A HEAD has the headers of the stream, and no events.
        if (request.method === 'HEAD') return output.end('');
        try {
          await followEvents(deps, accountId, { first, listener, output, confirm });
        } catch (fault) {
          const { error, text, fields, details } = toApiError(fault);
          const { number } = ERRORS[error];
          const docs_url = helpAddress(baseUrl, number);
          const envelope = V1.error(number, text, fields, { ...details, docs_url });
          await output.end(`event: error\ndata: ${jsonIn(messageLanguage(request), envelope)}\n\n`);
          throw fault;
        }
      });
    } finally {
      listener.close();
    }
  },
});

/** The cursor to continue after: that of a client that connects again wins over that of its address. */
async function startOf(deps: ApiDeps, { account, query }: Caller, { headers }: Request): Promise<string | undefined> {
  const after = headers['last-event-id'] || query.after;
  const { last } = query;
  return await startOfFeed(deps, account.id, {
    after: typeof after === 'string' ? after : undefined,
    last: last === undefined ? undefined : Number(last),
  });
}

/** GET /trackings/{id}/events */
export const listTrackingEvents = operation(contract.listTrackingEvents, {
  async run(deps, { account }, { id }) {
    const tracking = await findRegistered(deps, account.id, id);
    const messages = await messagesOfTracking(deps.db, { accountId: account.id, id: tracking.id });
    return {
      events: messages.map(({ id, event, seq, createdAt, status, subStatus, attention, deliveries, filteredOut }) => ({
        ...{ id, event, seq, created_at: toUtcSeconds(createdAt), status, sub_status: subStatus },
        ...(attention && { attention }),
        pushes: deliveries.map(viewPush),
        ...(filteredOut === null ? {} : { filtered_out: filteredOut }),
      })),
    };
  },
});

function viewPush({ webhookId, state, attempts, round, nextAttemptAt, last }: EventDelivery) {
  return {
    webhook_id: webhookId,
    ...{ state, attempts, round },
    next_attempt_at: nextAttemptAt && toUtcSeconds(new Date(nextAttemptAt)),
    last_attempt: last && {
      id: last.id,
      ts: toUtcSeconds(new Date(last.startedAt)),
      status_code: last.statusCode,
      error: readMessage(last.error),
      duration_ms: last.durationMs,
    },
  };
}

/** Events read by one statement. */
const EVENTS_READ = 100;
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
 * Writes the events of an account as they become readable, until the reader has gone, the process stops, or the stream
 * is as old as it may become. Backpressure: events are read only as fast as they are written. The key is confirmed
 * before each page and each event.
 * @param followed its first page, which is read already.
 * @throws ServiceError `unauthorized` when the key was revoked; `conflict` after a failover that lost events.
 */
function followEvents(deps: ApiDeps, accountId: string, followed: Followed): Promise<void> {
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
