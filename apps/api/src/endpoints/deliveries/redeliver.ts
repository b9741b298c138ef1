import { deliveryById, redeliverResponse } from '@pts/contract/webhook-deliveries';
import { ServiceError } from '@pts/core/errors';
import { type NotRedelivered, redeliver } from '@pts/db/deliveries/redeliver';
import { operation } from '../../http/operation.ts';
import { DISABLED, instant, refusedField } from '../webhooks/view.ts';
import { noSuchRecord } from './view.ts';

/** POST /webhooks/deliveries/{id}/redeliver: sends a message to its endpoint again, from attempt 1 on. */
export const redeliverWebhook = operation({
  method: 'post',
  path: '/webhooks/deliveries/:id/redeliver',
  limit: 'webhooks.redeliver',
  input: 'params',
  request: deliveryById,
  response: redeliverResponse,
  doc: {
    id: 'redeliver',
    tag: 'Webhooks',
    summary: 'Send one delivery again',
    description:
      'Takes the id of a delivery record. Its message is sent to the same webhook again, at once and, if that fails, up to 14 times as any event; `X-Webhook-Id` and body stay the same. A message that is still owed is answered as it is and not sent twice. A ping is sent again with `POST /webhooks/test`.',
    errors: ['not_found', 'invalid_field'],
    example: {
      response: {
        ...{ id: '48210', message_id: '69a463e0a1b2c3d4e5f60718', webhook_id: '69a45f02b1c2d3e4f5061728' },
        ...{ event: 'tracking_delivered', state: 'owed', attempts: 0, round: 1 },
        next_attempt_at: '2026-03-01T18:20:00Z',
      },
    },
  },
  async run({ db, producer, now, retentionDays }, { account }, { id }) {
    const outcome = await redeliver(db, { accountId: account.id, attemptId: BigInt(id), now: now() });
    if (typeof outcome === 'string') throw refusal(outcome, retentionDays);
    const { messageId, webhookId, event, state, attempts, round, nextAttemptAt, isFailing } = outcome.delivery;
    if (outcome.isNew) await producer.deliver([{ webhookId, isFailing }]);
    return {
      ...{ id, message_id: messageId, webhook_id: webhookId, event, state, attempts, round },
      next_attempt_at: instant(nextAttemptAt),
    };
  },
});

function refusal(why: NotRedelivered, retentionDays: number): ServiceError {
  switch (why) {
    case 'unknown':
      return noSuchRecord();
    case 'ping':
      return refusedField(
        'id',
        'is of a ping, which cannot be sent again; send a new one with POST /api/v1/webhooks/test',
      );
    case 'deleted':
      return new ServiceError('not_found', { text: 'The webhook it was sent to has been deleted.' });
    case 'pruned':
      return new ServiceError('not_found', {
        text: `The message is not kept any more: events are kept for ${retentionDays} days.`,
      });
    case 'disabled':
      return refusedField('id', `is of a webhook that ${DISABLED}`);
    case 'too_often':
      return refusedField('id', 'is of a message that has been sent again too often');
    default:
      return why satisfies never;
  }
}
