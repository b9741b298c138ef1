import { defineOperation } from '../operation.ts';
import { explainResponse } from '../schemas/explain/explain.ts';
import { trackingById } from '../schemas/trackings.ts';
import { EXAMPLE_ID, EXAMPLE_NUMBER } from './examples.ts';

const EXPLANATION_EXAMPLE = {
  id: EXAMPLE_ID,
  tracking_number: EXAMPLE_NUMBER,
  status: '查询中',
  sub_status: 'pending',
  carrier: {
    courier_code: 'yto',
    courier_name: 'YTO Express',
    page_url: 'https://www.yto.net.cn',
    chosen_by: 'detection',
    message:
      'It was detected from the number. If it is wrong, send the right courier_code with PATCH /api/v1/trackings/{id}.',
    candidates: [
      {
        courier_code: 'yto',
        confidence: 90,
        reason: 'its own prefix (or other letters or digits) and the length of its numbers; they have no check digit',
      },
    ],
  },
  provider: 'kuaidi100',
  route: ['kuaidi100'],
  watch: {
    watched: true,
    mode: 'polled',
    interval_seconds: 1800,
    reason: 'regular',
    message: 'It is checked regularly.',
    last_checked_at: '2025-11-21T00:49:10Z',
    next_check_at: '2025-11-21T01:19:10Z',
    expires_at: '2025-12-20T12:30:04Z',
  },
  cadence: {
    webhook_enabled: true,
    interval_seconds: 1800,
    floor_seconds: 1800,
    message:
      'Checked every 300 seconds (10 % more or less), because the account has an enabled webhook. The provider allows at most one check every 1800 seconds.',
  },
  last_answer: { kind: 'not_found', failure: null, at: '2025-11-20T12:30:09Z', latency_ms: 412, scans: 0 },
  notice: null,
  held_back_by: [
    {
      kind: 'provider_floor',
      until: '2025-11-21T01:19:10Z',
      message: 'The provider allows one check of a number every 1800 seconds.',
    },
  ],
  scan_times: [],
  quota: {
    quota_limit: 10_000,
    quota_used: 812,
    quota_remaining: 9188,
    resets_at: '2025-12-01T00:00:00Z',
    message: 'This tracking was charged when it was registered; checks are free.',
  },
};

/** Explains the state of a parcel to the merchant. */
export const explainTracking = defineOperation({
  method: 'get',
  path: '/trackings/:id/explain',
  limit: 'trackings.one',
  repeat: 'safe',
  scope: 'read',
  input: 'params',
  request: trackingById,
  response: explainResponse,
  doc: {
    id: 'explainTracking',
    tag: 'Trackings',
    summary: 'Explain the state of a tracking',
    summaryZh: '说明一个包裹的状态',
    description:
      'Explains why this carrier was chosen, which provider is queried, when it was and will be checked, with what result, how often and why, and what delays the next check. `last_answer` is the last answer with something new; `watch.last_checked_at` is the time of the last check. A hold without `until` requires an action from you.',
    errors: ['not_registered', 'invalid_id'],
    example: { response: EXPLANATION_EXAMPLE },
  },
});
