import { CommandError, UsageError } from '@pts/client/cli/kit';
import { readMessage } from '@pts/core/languages/message';
import { counted } from '@pts/core/terminal';
import { toUtcSeconds } from '@pts/core/time';
import { MAX_PENDING } from '@pts/core/webhook/endpoint';
import type { Db } from '@pts/db/connection';
import { disableEndpoint, listWebhooks, pendingOf, type Webhook, webhooksOfAnyone } from '@pts/db/webhooks';
import { getAccount } from '@pts/service/accounts';
import { countReplay, startReplay } from '@pts/service/deliveries';
import { enableWebhook } from '@pts/service/webhooks';
import { type Command, table } from '../command.ts';
import { databaseCommand, serviceSettings } from '../installation.ts';

const webhooksList = databaseCommand({
  name: 'webhooks list',
  takes: ['accountId'],
  options: {},
  about: 'List the webhooks of an account, newest first, with their addresses, states and pending deliveries.',
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
      lines: table(['WEBHOOK', 'URL', 'EVENTS', 'PENDING', 'STATE'], rows, 'The account has no webhooks.'),
      json: { account_id: accountId, webhooks },
    };
  },
});

const webhooksEnable = databaseCommand({
  name: 'webhooks enable',
  audited: 'after',
  takes: ['webhookId'],
  options: { replay: { about: 'also send the events that it missed while it was disabled' } },
  about:
    'Enable a webhook and reset its failures, as its account can. Missed events are sent only with --replay or by `webhooks replay`.',
  async run(deps, { webhookId, replay: isReplaying = false }, { env }) {
    const { accountId } = await getWebhook(deps.db, webhookId);
    const ctx = { ...deps, retentionDays: serviceSettings(env).retentionDays };
    const enabled = await enableWebhook(ctx, { accountId, id: webhookId, replay: isReplaying });
    const [webhook] = await viewWebhooks(deps.db, [enabled.webhook], deps.now());
    const { replay } = enabled;
    const begun = replay && `Replay ${replay.id} has started, with ${countOf(replay.total)} that it missed.`;
    return {
      lines: [`The webhook ${webhookId} of account ${accountId} is enabled.`, ...(begun ? [begun] : [])],
      json: { webhook, ...(replay && { replay_id: replay.id }) },
      accountIds: [accountId],
    };
  },
});

const MAX_REASON = 200;

const webhooksDisable = databaseCommand({
  name: 'webhooks disable',
  audited: 'after',
  takes: ['webhookId'],
  options: { reason: { value: 'TEXT', about: 'the reason that its account sees (default: its receiver is gone)' } },
  about: 'Disable a webhook whose receiver is gone for good. Its account sees the reason and can enable it again.',
  async run({ db, now }, { webhookId, reason = 'its receiver is gone' }) {
    if (reason.length > MAX_REASON) throw new UsageError(`--reason must have at most ${MAX_REASON} characters.`);
    const { accountId } = await getWebhook(db, webhookId);
    const at = now();
    const isChanged = await disableEndpoint(db, { webhookId, accountId }, `by the operator: ${reason}`, at);
    const [webhook] = await viewWebhooks(db, [await getWebhook(db, webhookId)], at);
    const state = isChanged ? 'is disabled' : 'was already disabled';
    return {
      lines: [`The webhook ${webhookId} of account ${accountId} ${state}.`],
      json: { webhook },
      accountIds: [accountId],
    };
  },
});

const webhooksReplay = databaseCommand({
  name: 'webhooks replay',
  audited: 'after',
  takes: ['webhookId'],
  options: {
    since: { value: 'TIME', about: 'start of the range, such as 2026-12-01T00:00:00Z', isRequired: true },
    until: { value: 'TIME', about: 'end of the range (default: now)' },
    'dry-run': { about: 'count the events only' },
  },
  about: 'Resend the events of a time range to a webhook, as its account can. Live events go first.',
  async run(deps, { webhookId, since, until, 'dry-run': isDryRun }, { env }) {
    const { accountId } = await getWebhook(deps.db, webhookId);
    const ctx = { ...deps, retentionDays: serviceSettings(env).retentionDays };
    const wanted = { accountId, webhookId, since, until };
    if (isDryRun) {
      const { total } = await countReplay(ctx, wanted);
      return {
        lines: [`${countOf(total)} would be resent to ${webhookId}.`],
        json: { webhook_id: webhookId, total, dry_run: true },
        accountIds: [accountId],
      };
    }
    const replay = await startReplay(ctx, wanted);
    return {
      lines: [`Replay ${replay.id} has started, with ${countOf(replay.total)}. Live events go first.`],
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
  return total === null ? 'too many events to count' : counted(total, 'event');
}

/** @throws CommandError if there is no such webhook */
async function getWebhook(db: Db, id: string): Promise<Webhook> {
  const [webhook] = await webhooksOfAnyone(db, [id]);
  if (!webhook)
    throw new CommandError(
      `No such webhook: ${id}. To list the webhooks of an account, run \`webhooks list ACCOUNT_ID\`.`,
    );
  return webhook;
}

/** Webhooks as JSON, without their secrets. */
export async function viewWebhooks(db: Db, webhooks: readonly Webhook[], now: Date) {
  const pending = await pendingOf(db, webhooks);
  return webhooks.map((webhook) => ({
    id: webhook.id,
    account_id: webhook.accountId,
    url: webhook.url,
    events: webhook.events,
    ...(webhook.filter && { filter: webhook.filter }),
    ...(webhook.format !== 'v1' && { format: webhook.format }),
    has_headers: webhook.encryptedHeaders !== null,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason && `${readMessage(webhook.disabledReason)}`,
    disabled_at: timeOf(webhook.disabledAt),
    failing_since: timeOf(webhook.failingSince),
    retry_after: webhook.notBefore && webhook.notBefore > now ? timeOf(webhook.notBefore) : null,
    pending: pending.get(webhook.id)?.count ?? 0,
  }));
}

export type WebhookView = Awaited<ReturnType<typeof viewWebhooks>>[number];

/** The answer to an operator's first question: does the endpoint accept pushes? */
export function stateOf({ enabled, disabled_reason, disabled_at, failing_since }: WebhookView): string {
  if (!enabled) return `disabled since ${disabled_at}: ${disabled_reason ?? 'by its account'}`;
  return failing_since === null ? 'healthy' : `failing since ${failing_since}`;
}

/** `1000+`: counting ended there. */
export function pendingInWords(pending: number): string {
  return pending >= MAX_PENDING ? `${MAX_PENDING}+` : String(pending);
}

function timeOf(time: Date | null): string | null {
  return time && toUtcSeconds(time);
}

/** In the order of the help text. */
export const webhooks: readonly Command[] = [webhooksList, webhooksEnable, webhooksDisable, webhooksReplay];
