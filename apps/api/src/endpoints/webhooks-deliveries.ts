import { deliveriesResponse } from '@pts/contract/webhooks';
import { toUtcSeconds } from '@pts/core/time';
import { listAttempts } from '@pts/db/deliveries';
import { endpoint, NO_INPUT } from '../endpoint.ts';

/** Records in the delivery log (spec section 8). */
const HISTORY_LENGTH = 50;

/** GET /webhooks/deliveries: the most recent attempts, newest first. */
export const webhookDeliveries = endpoint({
  method: 'get',
  path: '/webhooks/deliveries',
  limit: 'webhooks',
  input: null,
  request: NO_INPUT,
  response: deliveriesResponse,
  async run({ db }, { account }) {
    const attempts = await listAttempts(db, account.id, HISTORY_LENGTH);
    const items = attempts.map((row) => ({
      ts: toUtcSeconds(row.startedAt),
      event: row.event,
      status_code: row.statusCode,
      attempt: row.attempt,
      error: row.error,
      id: String(row.id),
      message_id: row.messageId,
      webhook_id: row.webhookId,
      duration_ms: row.durationMs,
      next_attempt_at: row.nextAttemptAt && toUtcSeconds(row.nextAttemptAt),
      response_excerpt: row.responseExcerpt,
    }));
    return { count: items.length, items };
  },
});
