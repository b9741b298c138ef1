import { replay, replayById, replayRequest, replaysResponse } from '@pts/contract/replays';
import { webhookById } from '@pts/contract/webhooks';
import { ServiceError } from '@pts/core/errors';
import { refusal } from '@pts/core/faults';
import { toUtcSeconds } from '@pts/core/time';
import { replayRange } from '@pts/core/webhook/replay-range';
import { cancelReplay, listReplays, type Replay, startReplay } from '@pts/db/deliveries/replays';
import { findWebhook } from '@pts/db/webhooks/endpoints';
import { operation } from '../../http/operation.ts';
import { DISABLED, instant, noSuchWebhook, refusedField } from './view.ts';

const RUNNING =
  'is of a webhook with a replay that is running already; wait for its end, or cancel it: DELETE /api/v1/webhooks/{id}/replays/{replay_id}';

const EXAMPLE = {
  ...{ id: '69a47c11c2d3e4f506172839', webhook_id: '69a45f02b1c2d3e4f5061728' },
  ...{ since: '2026-03-01T16:00:00Z', until: '2026-03-01T17:30:00Z', state: 'running', total: 1284, replayed: 0 },
  ...{ created_at: '2026-03-01T17:51:29Z', finished_at: null },
};

/** POST /webhooks/{id}/replay: sends everything of a time to an endpoint again, in the background. */
export const startReplayEndpoint = operation({
  method: 'post',
  path: '/webhooks/:id/replay',
  limit: 'webhooks.replay',
  input: 'body',
  request: replayRequest,
  response: replay,
  doc: {
    id: 'startReplay',
    tag: 'Webhooks',
    summary: 'Send the events of a time again',
    description:
      'Sends every event of your account from `since` until before `until` (left out: now) to this webhook again, as far as it subscribes to their kind, and also those from before it was registered. It answers at once and goes on in the background, behind live events; `X-Webhook-Id` and body stay the same. What is still owed is not sent twice. One replay of a webhook runs at a time.',
    errors: ['not_found'],
    example: { request: { since: '2026-03-01T16:00:00Z', until: '2026-03-01T17:30:00Z' }, response: EXAMPLE },
  },
  async run({ db, now, retentionDays }, { account }, { id, since, until }) {
    const at = now();
    const range = replayRange({ since, until }, { now: at, retentionDays });
    if ('field' in range) throw refusal([{ ...range, error: 'invalid_field' }]);
    const webhook = await findWebhook(db, account.id, id);
    if (!webhook) throw noSuchWebhook();
    if (!webhook.enabled) throw refusedField('id', `is of a webhook that ${DISABLED}`);
    const { events } = webhook;
    const started = await startReplay(db, { webhookId: id, accountId: account.id, events, ...range, now: at });
    if (!started) {
      if (!(await findWebhook(db, account.id, id))) throw noSuchWebhook();
      throw refusedField('id', RUNNING);
    }
    return viewReplay(started);
  },
});

/** GET /webhooks/{id}/replays: an endpoint's replays, and how far they are. */
export const listReplaysEndpoint = operation({
  method: 'get',
  path: '/webhooks/:id/replays',
  limit: 'webhooks',
  input: 'params',
  request: webhookById,
  response: replaysResponse,
  doc: {
    id: 'listReplays',
    tag: 'Webhooks',
    summary: 'List replays',
    description: 'The replays of a webhook, newest first, with how many messages each has queued so far.',
    errors: ['not_found'],
    example: { response: { count: 1, replays: [{ ...EXAMPLE, replayed: 500 }] } },
  },
  async run({ db }, { account }, { id }) {
    if (!(await findWebhook(db, account.id, id))) throw noSuchWebhook();
    const replays = await listReplays(db, account.id, id);
    return { count: replays.length, replays: replays.map(viewReplay) };
  },
});

/** DELETE /webhooks/{id}/replays/{replay_id}: queues no more of it. */
export const cancelReplayEndpoint = operation({
  method: 'delete',
  path: '/webhooks/:id/replays/:replay_id',
  limit: 'webhooks',
  input: 'params',
  request: replayById,
  response: replay,
  doc: {
    id: 'cancelReplay',
    tag: 'Webhooks',
    summary: 'Cancel a replay',
    description: 'No more of it is queued; what is queued already is still sent. One that has ended stays as it is.',
    errors: ['not_found'],
    example: {
      response: { ...EXAMPLE, state: 'cancelled', replayed: 500, finished_at: '2026-03-01T17:52:10Z' },
    },
  },
  async run({ db, now }, { account }, { id, replay_id }) {
    const cancelled = await cancelReplay(db, { accountId: account.id, webhookId: id, id: replay_id, now: now() });
    if (!cancelled) {
      throw new ServiceError('not_found', {
        text: 'There is no such replay. GET /api/v1/webhooks/{id}/replays lists those of a webhook.',
      });
    }
    return viewReplay(cancelled);
  },
});

function viewReplay({ id, webhookId, since, until, state, total, replayed, createdAt, finishedAt }: Replay) {
  return {
    ...{ id, webhook_id: webhookId, since: toUtcSeconds(since), until: toUtcSeconds(until), state, total, replayed },
    ...{ created_at: toUtcSeconds(createdAt), finished_at: instant(finishedAt) },
  };
}
