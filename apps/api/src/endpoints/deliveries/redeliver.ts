import { redeliver as contract } from '@pts/contract/operations/webhooks/deliveries';
import { redeliver as sendAgain } from '@pts/service/deliveries';
import { operation } from '../../http/operation.ts';
import { instant } from '../webhooks/view.ts';

/** POST /webhooks/deliveries/{id}/redeliver */
export const redeliver = operation(contract, {
  async run(deps, { account }, { id }) {
    const redelivery = await sendAgain(deps, { accountId: account.id, recordId: id });
    const { messageId, webhookId, event, state, attempts, round, nextAttemptAt } = redelivery;
    return {
      id,
      message_id: messageId,
      webhook_id: webhookId,
      event,
      state,
      attempts,
      round,
      next_attempt_at: instant(nextAttemptAt),
    };
  },
});
