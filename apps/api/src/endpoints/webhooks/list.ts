import { listWebhooks as contract } from '@pts/contract/operations/webhooks/webhooks';
import { listWebhooks as list } from '@pts/db/webhooks';
import { operation } from '../../http/operation.ts';
import { viewWebhooks } from './view.ts';

/** GET /webhooks */
export const listWebhooks = operation(contract, {
  async run({ db, now }, { account }) {
    const webhooks = await list(db, account.id);
    return { count: webhooks.length, webhooks: await viewWebhooks(db, webhooks, now()) };
  },
});
