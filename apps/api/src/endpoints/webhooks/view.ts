import type { Infer } from '@pts/contract/infer';
import type { webhook as schema } from '@pts/contract/schemas/webhooks/webhooks';
import { toNaiveUtc, toUtcSeconds } from '@pts/core/time';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/signature';
import type { Db } from '@pts/db/connection/client';
import { type RecentAttempts, recentAttempts } from '@pts/db/deliveries/recent';
import { type Pending, pendingOf, type Webhook } from '@pts/db/webhooks/endpoints';
import type { WebhookWithSecret } from '@pts/service/webhooks/register';

type View = Infer<typeof schema>;

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

/** Webhooks of an account with what is pending for them, and how their newest attempts went. */
export async function viewWebhooks(db: Db, webhooks: readonly Webhook[], now: Date): Promise<View[]> {
  const [accountId, webhookIds] = [webhooks[0]?.accountId, webhooks.map(({ id }) => id)];
  if (accountId === undefined) return [];
  const [pending, recent] = await Promise.all([
    pendingOf(db, webhookIds),
    recentAttempts(db, { accountId, webhookIds }),
  ]);
  return webhooks.map((webhook) => view(webhook, pending.get(webhook.id), recent.get(webhook.id), now));
}

/** One webhook, without its secret. */
export async function viewWebhook(db: Db, webhook: Webhook, now: Date): Promise<View> {
  const [pending, recent] = await Promise.all([
    pendingOf(db, [webhook.id]),
    recentAttempts(db, { accountId: webhook.accountId, webhookIds: [webhook.id] }),
  ]);
  return view(webhook, pending.get(webhook.id), recent.get(webhook.id), now);
}

function view(webhook: Webhook, pending: Pending | undefined, recent: RecentAttempts | undefined, now: Date): View {
  const retryAfter = ifAhead(webhook.notBefore, now);
  const due = pending?.nextAttemptAt ?? null;
  return {
    id: webhook.id,
    url: webhook.url,
    events: webhook.events,
    enabled: webhook.enabled,
    status: statusOf(webhook),
    supersede: webhook.supersede,
    pending: pending?.count ?? 0,
    next_attempt_at: instant(due && retryAfter && retryAfter > due ? retryAfter : due),
    recent: {
      attempts: recent?.attempts ?? 0,
      failed: recent?.failed ?? 0,
      median_ms: recent?.medianMs ?? null,
      last_status_code: recent?.lastStatusCode ?? null,
    },
    failing_since: instant(webhook.failingSince),
    retry_after: instant(retryAfter),
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
