import { streamEvents as contract } from '@pts/contract/operations/events';
import { ERRORS, ServiceError } from '@pts/core/errors';
import { readEvents, startOfFeed } from '@pts/service/events';
import { withStreamLease } from '@pts/service/streams';
import type { Request } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { V1 } from '../../http/envelope.ts';
import { helpAddress } from '../../http/errors/help.ts';
import { toApiError } from '../../http/errors/respond-error.ts';
import { type Caller, streamOperation } from '../../http/operation.ts';
import { EVENTS_READ, followEvents } from '../../streaming/follow.ts';
import { openSse } from '../../streaming/output.ts';

/** GET /events/stream */
export const streamEvents = streamOperation(contract, {
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
