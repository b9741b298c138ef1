import { submitTrackings } from '@pts/contract/operations/bulk';
import { registerMany } from '@pts/service/trackings/bulk';
import { operation } from '../../http/operation.ts';
import { readItem, readItems, viewRefused } from './bulk-items.ts';

/** POST /track/async */
export const trackAsync = operation(submitTrackings, {
  async run(deps, { account, baseUrl }, input) {
    const items = readItems(input).map((item) => readItem(deps, item));
    const { trackings, refused } = await registerMany(deps, account, items);
    const ids = [...new Set(trackings.map((tracking) => tracking.id))];
    const poll = new URL(`${baseUrl}/api/v1/shipments`);
    poll.searchParams.set('ids', ids.join(','));
    return { accepted: trackings.length, poll_url: poll.href, error: refused.map(viewRefused) };
  },
});
