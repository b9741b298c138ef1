import { disableEndpoint } from '@pts/db/webhooks';
import { databaseCommand } from '../../command-line/database-command.ts';
import { UsageError } from '../../command-line/problem.ts';
import { getWebhook, viewWebhooks } from '../../records/webhooks.ts';

const MAX_REASON = 200;

export const webhooksDisable = databaseCommand({
  name: 'webhooks disable',
  audited: 'after',
  takes: ['webhookId'],
  options: { reason: { value: 'TEXT', about: 'Why, for its account (its receiver is gone).' } },
  about: 'Disable a webhook whose receiver is gone for good; its account sees why, and can enable it again.',
  async run({ db, now }, { webhookId, reason = 'its receiver is gone' }) {
    if (reason.length > MAX_REASON) throw new UsageError(`The reason may have ${MAX_REASON} characters.`);
    const { accountId } = await getWebhook(db, webhookId);
    const at = now();
    const isChanged = await disableEndpoint(db, { webhookId, accountId }, `by the operator: ${reason}`, at);
    const [webhook] = await viewWebhooks(db, [await getWebhook(db, webhookId)], at);
    const state = isChanged ? 'is disabled' : 'was disabled already';
    return {
      lines: [`The webhook ${webhookId} of account ${accountId} ${state}.`],
      json: { webhook },
      accountIds: [accountId],
    };
  },
});
