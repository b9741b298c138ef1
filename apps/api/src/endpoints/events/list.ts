import { pageLimitAsNumber } from '@pts/contract/common';
import { listEvents as contract } from '@pts/contract/operations/events';
import { readTrackingBody } from '@pts/core/webhook/push';
import { endOfFeed, readEvents, startOfFeed } from '@pts/service/events';
import { operation } from '../../http/operation.ts';

/** GET /events */
export const listEvents = operation(contract, {
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
