import { pageLimitAsNumber } from '@pts/contract/common';
import { listDeliveries as contract } from '@pts/contract/operations/webhooks/deliveries';
import { rangeFaults } from '@pts/core/time';
import { listAttempts } from '@pts/db/deliveries/log';
import { momentOf } from '@pts/service/shipments/filter';
import { operation } from '../../http/operation.ts';
import { viewAttempt } from './view.ts';

/** GET /webhooks/deliveries */
export const listDeliveries = operation(contract, {
  faults: (_deps, query) => rangeFaults(query, 'since', 'until'),
  async run(deps, { account }, { limit: limitText, before, ...query }) {
    const { webhook_id, event, message_id, tracking_id, failed, status_code, outcome, since, until } = query;
    const limit = limitText === undefined ? pageLimitAsNumber.default : Number(limitText);
    const filter = {
      accountId: account.id,
      webhookId: webhook_id,
      event,
      messageId: message_id,
      trackingId: tracking_id,
      failed: failed === undefined ? undefined : failed === 'true',
      statusCode: status_code ? Number(status_code) : undefined,
      outcome,
      since: momentOf(since),
      until: momentOf(until),
      before,
      limit,
    };
    const { rows, next } = await deps.reads.read(account.id, (db) => listAttempts(db, filter));
    const items = rows.map(viewAttempt);
    return {
      count: items.length,
      items,
      next_before: next,
    };
  },
});
