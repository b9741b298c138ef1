import { submitTrackings } from '@pts/contract/operations/bulk';
import { ServiceError } from '@pts/core/errors';
import { registerMany } from '@pts/service/trackings/register';
import { operation } from '../../http/operation.ts';
import { asBulk, isDryRun, readAll, readItems, refusedView } from './bulk-items.ts';

/** POST /track/async */
export const trackAsync = operation(submitTrackings, {
  async run(deps, caller, input) {
    if (isDryRun(caller, input)) throw noDryRun();
    const { account, baseUrl } = caller;
    const items = await readAll(deps, readItems(input), deps.bulkhead.slices(account.id));
    const { accepted, refused } = await asBulk(deps, account.id, () => registerMany(deps, account, items));
    const ids = [...new Set(accepted.map(({ tracking }) => tracking.id))];
    const poll = new URL(`${baseUrl}/api/v1/shipments`);
    poll.searchParams.set('ids', ids.join(','));
    return { accepted: accepted.length, poll_url: poll.href, error: refused.map(refusedView(baseUrl)) };
  },
});

/** A dry run must not be charged, so this field is refused, not ignored like other unknown fields. */
function noDryRun(): ServiceError {
  const message = 'is not supported here: use POST /trackings/batch for a dry run';
  return new ServiceError('invalid_field', { fields: [{ field: 'dry_run', message }] });
}
