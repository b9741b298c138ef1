import type { PendingEndpoint } from '@pts/core/webhook/pending-endpoint';
import { countWaiting, requeue } from '@pts/db/deliveries/send-again';
import { releaseEndpoint } from '@pts/db/webhooks';
import { createProducer } from '@pts/queue/producer';
import { databaseCommand } from '../../command-line/database-command.ts';
import { Problem, UsageError } from '../../command-line/problem.ts';
import { withQueue } from '../../command-line/queue-command.ts';
import { getAccount } from '../../records/accounts.ts';
import { openEndpoints } from '../../records/deliveries.ts';

export const deliveriesRequeue = databaseCommand({
  name: 'deliveries requeue',
  audited: 'after',
  takes: [],
  options: {
    webhook: { value: 'ID', about: 'Of this webhook.' },
    account: { value: 'ID', about: 'Of all enabled webhooks of this account.' },
    'dry-run': { about: 'Only count them.' },
  },
  about:
    'Make the pending deliveries of a webhook or an account due now, whatever the retry schedule and the receiver (Retry-After) say, and wake the dispatchers. For a receiver that works again.',
  async run({ db, now }, { webhook: webhookId, account: accountId, 'dry-run': isDryRun }, context) {
    if ((webhookId === undefined) === (accountId === undefined))
      throw new UsageError('Say whose deliveries: --webhook ID or --account ID.');
    if (accountId !== undefined) await getAccount(db, accountId);
    const endpoints = await openEndpoints(db, { accountId, webhookId });
    if (endpoints.length === 0 && webhookId !== undefined)
      throw new Problem(`There is no enabled webhook ${webhookId}. \`webhooks enable\` enables a disabled one.`);
    const at = now();
    const webhooks = [];
    for (const { id, accountId, failingSince } of endpoints) {
      const key = { webhookId: id, accountId };
      if (!isDryRun) await releaseEndpoint(db, key);
      const deliveries = isDryRun ? await countWaiting(db, key, at) : await requeue(db, key, at);
      webhooks.push({ ...key, deliveries, isFailing: failingSince !== null });
    }
    const isWoken = !isDryRun && (await wake(context, webhooks));
    const total = webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0);
    const woken = isWoken ? 'The dispatchers are woken.' : 'The sweeps find them within seconds.';
    return {
      lines: isDryRun
        ? [`${total} deliveries of ${webhooks.length} webhooks wait for a later attempt.`]
        : [`${total} deliveries of ${webhooks.length} webhooks are due now. ${woken}`],
      json: {
        webhooks: webhooks.map(({ webhookId, deliveries }) => ({ webhook_id: webhookId, deliveries })),
        woken: isWoken,
        dry_run: isDryRun,
      },
      accountIds: [...new Set(endpoints.map((endpoint) => endpoint.accountId))],
    };
  },
});

/** Only a wake-up: without the queue, the sweeps do it. @returns whether it was added */
async function wake(context: Parameters<typeof withQueue>[0], endpoints: readonly PendingEndpoint[]): Promise<boolean> {
  try {
    return await withQueue(context, async (queue) => {
      const producer = createProducer(queue, () => {});
      const isAdded = await producer.deliver(
        endpoints.map(({ webhookId, accountId, isFailing }) => ({ webhookId, accountId, isFailing })),
      );
      await producer.close();
      return isAdded;
    });
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}
