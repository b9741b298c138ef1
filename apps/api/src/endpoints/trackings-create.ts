import { createdTracking, createRequest } from '@pts/contract/trackings';
import { quotaLimit } from '@pts/core/account/plan';
import { ApiError } from '@pts/core/errors';
import { registerTrackings } from '@pts/db/register';
import { endpoint } from '../endpoint.ts';
import { toRegistration } from '../registration.ts';
import { viewCreated } from '../views.ts';

/** POST /trackings/create: registers a number, charges a unit if it is new, and has its carrier asked at once. */
export const createTracking = endpoint({
  method: 'post',
  path: '/trackings/create',
  limit: 'trackings.create',
  input: 'body',
  request: createRequest,
  response: createdTracking,
  async run(deps, { account: { id: accountId, plan, quotaOverride } }, input) {
    const registration = toRegistration(deps, input);
    const limit = quotaLimit(plan, quotaOverride, deps.quotas);
    const result = await registerTrackings(deps.db, {
      accountId,
      quotaLimit: limit,
      registrations: [registration],
      now: deps.now(),
    });
    if (result.kind === 'quota_exhausted') throw new ApiError('quota_exhausted');
    const [tracking] = result.trackings;
    if (!tracking) throw new Error('a registration came back with no tracking');
    // Only a wake-up call: if it is lost, the sweep finds the check that is due.
    if (tracking.created) await deps.producer.query(tracking.provider, [{ ids: [tracking.id] }]);
    return viewCreated(tracking);
  },
});
