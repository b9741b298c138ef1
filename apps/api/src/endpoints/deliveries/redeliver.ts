import { redeliver as contract } from '@pts/contract/operations/webhooks/deliveries';
import { redeliver as sendAgain } from '@pts/service/deliveries/redeliver';
import { operation } from '../../http/operation.ts';
import { instant } from '../webhooks/view.ts';
import { openRecordId, sealRecordId } from './record-id.ts';

/** POST /webhooks/deliveries/{id}/redeliver */
export const redeliver = operation(contract, {
  async run(deps, { account }, { id }) {
    const recordId = openRecordId(deps, account.id, id);
    const redelivery = await sendAgain(deps, { accountId: account.id, recordId });
    const { messageId, webhookId, event, state, attempts, round, nextAttemptAt } = redelivery;
    return {
      id: sealRecordId(deps, account.id, recordId),
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
