import { toNaiveUtc, toUtcSeconds } from '@pts/core/time';
import { MAX_PENDING } from '@pts/core/webhook/limits';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/signature';
import type { Db } from '@pts/db/connection/client';
import { countPending, type Webhook } from '@pts/db/webhooks/endpoints';
import type { WebhookWithSecret } from '@pts/service/webhooks/register';

/** A webhook with its secret, which is shown only here (spec section 4.1). */
export function viewRegistered({ webhook: { id, url, events, enabled, createdAt }, secret }: WebhookWithSecret) {
  return {
    url,
    events,
    enabled,
    secret,
    created_at: toNaiveUtc(createdAt),
    signature_header: SIGNATURE_HEADER_TEXT,
    id,
  };
}

/** Webhooks with the number of their pending deliveries. */
export async function viewWebhooks(db: Db, webhooks: readonly Webhook[], now: Date) {
  const ids = webhooks.map(({ id }) => id);
  const pending = await countPending(db, ids, MAX_PENDING);
  return webhooks.map((webhook) => view(webhook, pending.get(webhook.id) ?? 0, now));
}

/** One webhook, without its secret. */
export async function viewWebhook(db: Db, webhook: Webhook, now: Date) {
  const pending = await countPending(db, [webhook.id], MAX_PENDING);
  return view(webhook, pending.get(webhook.id) ?? 0, now);
}

function view(webhook: Webhook, pending: number, now: Date) {
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    status: statusOf(webhook),
    supersede: webhook.supersede,
    pending,
    failing_since: instant(webhook.failingSince),
    retry_after: instant(ifAhead(webhook.notBefore, now)),
    disabled_reason: webhook.disabledReason,
    disabled_at: instant(webhook.disabledAt),
    previous_secret_until: instant(ifAhead(webhook.previousUntil, now)),
    created_at: toNaiveUtc(webhook.createdAt),
  };
}

function statusOf({ enabled, failingSince }: Webhook): 'healthy' | 'failing' | 'disabled' {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'healthy' : 'failing';
}

function ifAhead(time: Date | null, now: Date): Date | null {
  return time !== null && time > now ? time : null;
}

/** A time as responses show it. */
export function instant(time: Date | null): string | null {
  return time && toUtcSeconds(time);
}
