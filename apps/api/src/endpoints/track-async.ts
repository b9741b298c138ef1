import { asyncResponse } from '@pts/contract/bulk';
import { readItems, registerMany } from '../bulk.ts';
import { ANY_INPUT, endpoint } from '../endpoint.ts';

/** POST /track/async: accepts up to 40 numbers, and says where to poll for just these. Accepted means stored. */
export const trackAsync = endpoint({
  method: 'post',
  path: '/track/async',
  limit: 'track.async',
  input: 'body',
  request: ANY_INPUT,
  response: asyncResponse,
  async run(deps, caller, input) {
    const { trackings, errors } = await registerMany(deps, caller, readItems(input));
    const ids = [...new Set(trackings.map((tracking) => tracking.id))];
    const poll = new URL(`${caller.baseUrl}/api/v1/shipments`);
    poll.searchParams.set('ids', ids.join(','));
    return { accepted: trackings.length, poll_url: poll.href, error: errors };
  },
});
