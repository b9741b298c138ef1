import { pageLimitAsNumber } from '@pts/contract/common';
import * as contract from '@pts/contract/events';
import * as eventsContract from '@pts/contract/events';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import { readTrackingBody } from '@pts/core/webhook/payload';
import { type EventDelivery, messagesOfTracking } from '@pts/db/deliveries/of-tracking';
import { endOfFeed, readEvents, startOfFeed } from '@pts/service/events/read';
import { withStreamLease } from '@pts/service/streams/with-lease';
import { findRegistered } from '@pts/service/trackings/find';
import type { Request } from 'express';
import type { ApiDeps } from '../deps.ts';
import { V1 } from '../http/envelope.ts';
import { helpAddress } from '../http/errors/help.ts';
import { toApiError } from '../http/errors/respond-error.ts';
import { type Caller, operation, streamOperation } from '../http/operation.ts';
import { EVENTS_READ, followEvents } from '../streaming/follow.ts';
import { openSse } from '../streaming/output.ts';

/** GET /events */
export const listEvents = operation(contract.listEvents, {
  async run(deps, { account }, { after: given, last, limit: limitText }) {
    const accountId = account.id;
    if (given === 'latest') return { events: [], next_cursor: await endOfFeed(deps, accountId), has_more: false };
    const after = await startOfFeed(deps, accountId, {
      after: given,
      last: last === undefined ? undefined : Number(last),
    });
    const limit = limitText === undefined ? pageLimitAsNumber.default : Number(limitText);
    const page = await readEvents(deps, { accountId, after, limit });
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
    if (listener === null) throw new ServiceError('unavailable', { text: FULL });
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
          const { error, message, fields, details } = toApiError(fault);
          const { number } = ERRORS[error];
          const docs_url = helpAddress(baseUrl, number);
          const envelope = V1.error(number, message, fields, { ...details, docs_url });
          await output.end(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`);
          throw fault;
        }
      });
    } finally {
      listener.close();
    }
  },
});

const FULL = 'This process has as many open streams as it can serve. Try again in a few seconds.';

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
export const listTrackingEvents = operation(eventsContract.listTrackingEvents, {
  async run(deps, { account }, { id }) {
    const tracking = await findRegistered(deps, account.id, id);
    const messages = await messagesOfTracking(deps.db, { accountId: account.id, id: tracking.id });
    return {
      events: messages.map(({ id, event, seq, createdAt, status, subStatus, deliveries }) => ({
        ...{ id, event, seq, created_at: toUtcSeconds(createdAt), status, sub_status: subStatus },
        pushes: deliveries.map(viewPush),
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
      error: last.error,
      duration_ms: last.durationMs,
    },
  };
}
