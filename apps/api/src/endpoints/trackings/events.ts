import { listTrackingEvents as contract } from '@pts/contract/operations/events';
import { toUtcSeconds } from '@pts/core/time';
import { type EventDelivery, messagesOfTracking } from '@pts/db/deliveries/log';
import { findRegistered } from '@pts/service/trackings/find';
import { operation } from '../../http/operation.ts';

/** GET /trackings/{id}/events */
export const listTrackingEvents = operation(contract, {
  async run(deps, { account }, { id }) {
    const tracking = await findRegistered(deps, account.id, id);
    const messages = await messagesOfTracking(deps.db, { accountId: account.id, id: tracking.id });
    return {
      events: messages.map(({ id, event, seq, createdAt, status, subStatus, deliveries }) => ({
        ...{ id, event, seq, created_at: toUtcSeconds(createdAt), status, sub_status: subStatus },
        pushes: deliveries.map(viewPush),
      })),
    };
  },
});

function viewPush({ webhookId, state, attempts, round, nextAttemptAt, last }: EventDelivery) {
  return {
    webhook_id: webhookId,
    ...{ state, attempts, round },
    next_attempt_at: nextAttemptAt && toUtcSeconds(new Date(nextAttemptAt)),
    last_attempt: last && {
      id: last.id,
      ts: toUtcSeconds(new Date(last.startedAt)),
      status_code: last.statusCode,
      error: last.error,
      duration_ms: last.durationMs,
    },
  };
}
