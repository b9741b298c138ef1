import { defineOperation } from '../../operation.ts';
import { replay, replayAnswer, replayById, replayRequest, replaysResponse } from '../../schemas/webhooks/replays.ts';
import { webhookById } from '../../schemas/webhooks/webhooks.ts';

const EXAMPLE = {
  id: '69a47c11c2d3e4f506172839',
  webhook_id: '69a45f02b1c2d3e4f5061728',
  since: '2026-03-01T16:00:00Z',
  until: '2026-03-01T17:30:00Z',
  state: 'running',
  total: 1284,
  replayed: 0,
  created_at: '2026-03-01T17:51:29Z',
  finished_at: null,
};

/** Sends all events of a time range to an endpoint again, in the background. */
export const startReplay = defineOperation({
  method: 'post',
  path: '/webhooks/:id/replay',
  limit: 'webhooks.replay',
  repeat: 'keyed',
  scope: 'webhooks',
  input: 'body',
  request: replayRequest,
  strict: true,
  response: replayAnswer,
  doc: {
    id: 'startReplay',
    tag: 'Webhooks',
    summary: 'Replay the events of a time range',
    summaryZh: '重放一段时间的消息',
    description:
      'Sends every event of your account from `since` (inclusive) to `until` (exclusive, now if omitted) to this webhook again, if the webhook subscribes to its kind, including events from before it was registered. The request returns at once; the replay runs in the background, behind live events. `X-Webhook-Id` and body stay the same. Deliveries that wait for a later attempt are sent now instead; those that are due already are not sent twice. Each webhook can have one running replay. With `dry_run`, the response has only the number of messages.',
    errors: ['not_found'],
    example: { request: { since: '2026-03-01T16:00:00Z', until: '2026-03-01T17:30:00Z' }, response: EXAMPLE },
  },
});

/** An endpoint's replays and their progress. */
export const listReplays = defineOperation({
  method: 'get',
  path: '/webhooks/:id/replays',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: webhookById,
  response: replaysResponse,
  doc: {
    id: 'listReplays',
    tag: 'Webhooks',
    summary: 'List replays',
    summaryZh: '列出重放任务',
    description: 'The replays of a webhook, newest first, each with the number of messages queued so far.',
    errors: ['not_found'],
    example: { response: { count: 1, replays: [{ ...EXAMPLE, replayed: 500 }] } },
  },
});

/** Cancels a replay. */
export const cancelReplay = defineOperation({
  method: 'delete',
  path: '/webhooks/:id/replays/:replay_id',
  limit: 'webhooks',
  repeat: 'safe',
  scope: 'webhooks',
  input: 'params',
  request: replayById,
  response: replay,
  doc: {
    id: 'cancelReplay',
    tag: 'Webhooks',
    summary: 'Cancel a replay',
    summaryZh: '取消重放',
    description:
      'Stops queueing messages; messages that are already queued are still sent. A replay that has ended is returned unchanged.',
    errors: ['not_found'],
    example: {
      response: { ...EXAMPLE, state: 'cancelled', replayed: 500, finished_at: '2026-03-01T17:52:10Z' },
    },
  },
});
