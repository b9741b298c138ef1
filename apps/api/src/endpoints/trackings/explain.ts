import { explainResponse } from '@pts/contract/explain';
import { trackingById } from '@pts/contract/trackings';
import { quotaLimit, remaining } from '@pts/core/account/plan';
import { ServiceError } from '@pts/core/errors';
import { nextMonthOf, toUtcSeconds } from '@pts/core/time';
import { type Account, quotaUsed } from '@pts/db/accounts/accounts';
import { type Explained, explainTracking } from '@pts/db/trackings/explain';
import { explainCarrier } from '../../carrier-choice.ts';
import type { ApiDeps } from '../../deps.ts';
import { explainCadence, explainFailing, explainQuarantine, explainWatch, heldBackBy } from '../../explanation.ts';
import { operation } from '../../http/operation.ts';
import { EXPLAIN_EXAMPLE } from './explain-example.ts';

/** GET /trackings/{id}/explain: why a parcel is where it is, in words for the merchant. */
export const explainTrackingEndpoint = operation({
  method: 'get',
  path: '/trackings/:id/explain',
  limit: 'trackings.one',
  input: 'params',
  request: trackingById,
  response: explainResponse,
  doc: {
    id: 'explainTracking',
    tag: 'Trackings',
    summary: 'Explain what is going on with a tracking',
    description:
      'Why this carrier, who is asked, when it was and will be, what came of it, how often and why, and what holds it back. `last_answer` is the last one that brought something new; `watch.last_checked_at` is the last question. A hold without `until` waits for you.',
    errors: ['not_registered', 'invalid_id'],
    example: { response: EXPLAIN_EXAMPLE },
  },
  async run(deps, { account }, { id }) {
    const tracking = await explainTracking(deps.db, account.id, id);
    if (!tracking) throw new ServiceError('not_registered');
    const now = deps.now();
    const provider = deps.providers.find(({ name }) => name === tracking.provider);
    const floorSeconds = provider?.limits.floorSeconds ?? 0;
    const failing = explainFailing(tracking);
    const quarantine = explainQuarantine(tracking);
    return {
      id,
      tracking_number: tracking.trackingNumber,
      status: tracking.status,
      sub_status: tracking.subStatus,
      carrier: explainCarrier(tracking, { sandbox: deps.sandbox }),
      provider: tracking.provider,
      watch: explainWatch(tracking, deps),
      cadence: explainCadence(tracking, deps, floorSeconds),
      last_answer: viewAnswer(tracking),
      ...(failing && { failing }),
      ...(quarantine && { quarantine }),
      notice: tracking.notice,
      held_back_by: heldBackBy(tracking, { floorSeconds, isServed: provider !== undefined, now }),
      quota: await explainQuota(deps, account, now),
    };
  },
});

function viewAnswer({ lastAnswer }: Explained) {
  if (lastAnswer === null) return null;
  const { kind, failure = null, at, latencyMs, scans } = lastAnswer;
  return { kind, failure, at: toUtcSeconds(new Date(at)), latency_ms: latencyMs, scans };
}

async function explainQuota({ db, quotas }: ApiDeps, { id, plan, quotaOverride }: Account, now: Date) {
  const limit = quotaLimit(plan, quotaOverride, quotas);
  const used = await quotaUsed(db, id, now);
  const left = remaining(limit, used);
  return {
    quota_limit: limit,
    quota_used: used,
    quota_remaining: left,
    resets_at: toUtcSeconds(nextMonthOf(now)),
    message:
      left > 0
        ? 'This tracking was charged when it was created; checks cost nothing.'
        : 'The quota is used up: new numbers are refused until it resets. This tracking is watched on all the same.',
  };
}
