import { enableWebhook } from '@pts/service/webhooks';
import { databaseCommand } from '../../command-line/database-command.ts';
import { getWebhook, viewWebhooks } from '../../records/webhooks.ts';

export const webhooksEnable = databaseCommand({
  name: 'webhooks enable',
  audited: 'after',
  takes: ['webhookId'],
  options: {},
  about:
    'Enable a webhook, as its account can: its failures are forgotten. Events from before are not sent; webhooks replay does that.',
  async run(deps, { webhookId }) {
    const { accountId } = await getWebhook(deps.db, webhookId);
    const enabled = await enableWebhook(deps, { accountId, id: webhookId });
    const [webhook] = await viewWebhooks(deps.db, [enabled], deps.now());
    return {
      lines: [`The webhook ${webhookId} of account ${accountId} is enabled.`],
      json: { webhook },
      accountIds: [accountId],
    };
  },
});
