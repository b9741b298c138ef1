import { toUtcSeconds } from '@pts/core/time';
import { MAX_PENDING } from '@pts/core/webhook/limits';
import type { Db } from '@pts/db/connection/client';
import { pendingOf, type Webhook, webhooksOfAnyone } from '@pts/db/webhooks';
import { Problem } from '../command-line/problem.ts';

/** @throws Problem if there is no such webhook */
export async function getWebhook(db: Db, id: string): Promise<Webhook> {
  const [webhook] = await webhooksOfAnyone(db, [id]);
  if (!webhook) throw new Problem(`No such webhook: ${id}. \`webhooks list ACCOUNT_ID\` lists those of an account.`);
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
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    disabled_at: timeOf(webhook.disabledAt),
    failing_since: timeOf(webhook.failingSince),
    retry_after: webhook.notBefore && webhook.notBefore > now ? timeOf(webhook.notBefore) : null,
    pending: pending.get(webhook.id)?.count ?? 0,
  }));
}

export type WebhookView = Awaited<ReturnType<typeof viewWebhooks>>[number];

/** What an operator asks first: does it accept pushes? */
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
