import { columns } from '@pts/core/text/align-columns';
import { listWebhooks } from '@pts/db/webhooks';
import { databaseCommand } from '../../command-line/database-command.ts';
import { getAccount } from '../../records/accounts.ts';
import { pendingInWords, stateOf, viewWebhooks } from '../../records/webhooks.ts';

const HEADING = ['WEBHOOK', 'URL', 'EVENTS', 'PENDING', 'STATE'];

export const webhooksList = databaseCommand({
  name: 'webhooks list',
  takes: ['accountId'],
  options: {},
  about:
    'List the webhooks of an account, newest first: their addresses, pending deliveries, failures and why they are disabled.',
  async run({ db, now }, { accountId }) {
    await getAccount(db, accountId);
    const webhooks = await viewWebhooks(db, await listWebhooks(db, accountId), now());
    const rows = webhooks.map((webhook) => [
      webhook.id,
      webhook.url,
      webhook.events.join(','),
      pendingInWords(webhook.pending),
      stateOf(webhook),
    ]);
    return {
      lines: rows.length === 0 ? ['The account has no webhooks.'] : columns([HEADING, ...rows]),
      json: { account_id: accountId, webhooks },
    };
  },
});
