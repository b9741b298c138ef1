import { deliveriesQuery, deliveriesResponse } from '@pts/contract/webhooks';
import { listAttempts } from '@pts/db/deliveries/log';
import { operation } from '../../http/operation.ts';
import { viewAttempt } from './view.ts';

/** Records in the delivery log (spec section 8). */
const HISTORY_LENGTH = 50;

/** GET /webhooks/deliveries: the most recent attempts, newest first. */
export const webhookDeliveries = operation({
  method: 'get',
  path: '/webhooks/deliveries',
  limit: 'webhooks',
  input: 'query',
  request: deliveriesQuery,
  response: deliveriesResponse,
  doc: {
    id: 'listDeliveries',
    tag: 'Webhooks',
    summary: 'List recent deliveries',
    description:
      'Every attempt is a record; the 50 most recent are listed, newest first. `before` takes the `next_before` of a page for the next one, as far back as records are kept. The filters may be combined.',
    example: {
      response: {
        count: 1,
        items: [
          {
            ...{ ts: '2026-03-01T16:00:01Z', event: 'tracking_delivered', status_code: 503, attempt: 1 },
            error: 'the receiver answered 503; only 200 to 299 is success',
            ...{ id: '48210', message_id: '69a463e0a1b2c3d4e5f60718', webhook_id: '69a45f02b1c2d3e4f5061728' },
            ...{ duration_ms: 84, next_attempt_at: '2026-03-01T16:00:31Z', response_excerpt: 'busy', round: 0 },
          },
        ],
        next_before: null,
      },
    },
  },
  async run({ db }, { account }, { webhook_id, event, message_id, failed, before }) {
    // One more than is shown tells whether there is a further page.
    const rows = await listAttempts(db, {
      ...{ accountId: account.id, webhookId: webhook_id, event, messageId: message_id },
      failed: failed === 'true',
      before: before === undefined ? undefined : BigInt(before),
      limit: HISTORY_LENGTH + 1,
    });
    const items = rows.slice(0, HISTORY_LENGTH).map(viewAttempt);
    return {
      count: items.length,
      items,
      next_before: rows.length > HISTORY_LENGTH ? (items.at(-1)?.id ?? null) : null,
    };
  },
});
