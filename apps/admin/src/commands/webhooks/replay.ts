import { toUtcSeconds } from '@pts/core/time';
import { countReplay, startReplay } from '@pts/service/deliveries';
import { databaseCommand } from '../../command-line/database-command.ts';
import { getWebhook } from '../../records/webhooks.ts';
import { serviceSettings } from '../../service-settings.ts';

export const webhooksReplay = databaseCommand({
  name: 'webhooks replay',
  audited: 'after',
  takes: ['webhookId'],
  options: {
    since: { value: 'TIME', about: 'the beginning, such as 2026-12-01T00:00:00Z', required: true },
    until: { value: 'TIME', about: 'the end (default: now)' },
    'dry-run': { about: 'Only count the events.' },
  },
  about: 'Send the events of a time range to a webhook again, behind live ones, as its account can.',
  async run(deps, { webhookId, since, until, 'dry-run': isDryRun }, { env }) {
    const { accountId } = await getWebhook(deps.db, webhookId);
    const ctx = { ...deps, retentionDays: serviceSettings(env).retentionDays };
    const wanted = { accountId, webhookId, since, until };
    if (isDryRun) {
      const { total } = await countReplay(ctx, wanted);
      return {
        lines: [`${countOf(total)} would be sent to ${webhookId} again.`],
        json: { webhook_id: webhookId, total, dry_run: true },
        accountIds: [accountId],
      };
    }
    const replay = await startReplay(ctx, wanted);
    return {
      lines: [
        `The replay ${replay.id} has begun: ${countOf(replay.total)}. The dispatchers feed it behind live events.`,
      ],
      json: {
        webhook_id: webhookId,
        replay_id: replay.id,
        since: toUtcSeconds(replay.since),
        until: toUtcSeconds(replay.until),
        total: replay.total,
        dry_run: false,
      },
      accountIds: [accountId],
    };
  },
});

function countOf(total: number | null): string {
  return total === null ? 'more events than are counted' : `${total} events`;
}
