import { getAttention } from '@pts/contract/operations/attention';
import { ATTENTION_REASONS, REASON_TEXTS } from '@pts/core/attention';
import { readAttention } from '@pts/service/accounts';
import { operation } from '../../http/operation.ts';
import { viewShipment } from './view.ts';

/** GET /attention */
export const attention = operation(getAttention, {
  async run(deps, { account, language }) {
    const at = deps.now();
    const found = await readAttention(deps, account, at);
    const reader = { providers: deps.providers, language, now: at };
    return {
      account: found.account.map(({ reason, message, webhookId }) => ({
        reason,
        message,
        ...(webhookId && { webhook_id: webhookId }),
      })),
      reasons: ATTENTION_REASONS.flatMap((reason) => {
        const count = found.counts.get(reason) ?? 0;
        return count === 0 ? [] : { reason, message: REASON_TEXTS[reason], count };
      }),
      newest: found.newest.map((row) => viewShipment(row, reader)),
    };
  },
});
