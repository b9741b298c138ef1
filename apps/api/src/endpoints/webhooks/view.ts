import type { Infer } from '@pts/contract/infer';
import type { webhook as schema } from '@pts/contract/schemas/webhooks/webhooks';
import { lastHours } from '@pts/core/stats';
import { toNaiveUtc, toUtcSeconds } from '@pts/core/time';
import { ENDPOINT_HOURS } from '@pts/core/webhook/endpoint';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/push';
import type { Db } from '@pts/db/connection';
import { recentAttempts } from '@pts/db/deliveries/log';
import { type EndpointHour, readEndpointHours } from '@pts/db/stats';
import { isBeginningToMonitor, pendingOf, type Webhook } from '@pts/db/webhooks';
import type { WebhookWithSecret } from '@pts/service/webhooks';

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
  const starts = lastHours(ENDPOINT_HOURS, now);
  const [isMoving, pending, recent, hours] = await Promise.all([
    isBeginningToMonitor(db, accountId),
    // What is being dropped is not pending any more.
    pendingOf(
      db,
      webhooks.filter(({ dropBefore }) => dropBefore === null),
    ),
    recentAttempts(db, { accountId, webhookIds }),
    readEndpointHours(db, { accountId, from: starts[0] ?? now }),
  ]);
  return webhooks.map((webhook) => {
    const { id, notBefore } = webhook;
    const retryAfter = ifAhead(notBefore, now);
    const due = pending.get(id)?.nextAttemptAt ?? null;
    const newest = recent.get(id);
    return {
      id,
      url: webhook.url,
      events: webhook.events,
      enabled: webhook.enabled,
      status: statusOf(webhook),
      supersede: webhook.supersede,
      in_progress: [
        ...(isMoving && webhook.enabled ? (['moving_checks'] as const) : []),
        ...(webhook.dropBefore ? (['dropping_pending'] as const) : []),
      ],
      pending: pending.get(id)?.count ?? 0,
      next_attempt_at: instant(due && retryAfter && retryAfter > due ? retryAfter : due),
      recent: {
        attempts: newest?.attempts ?? 0,
        failed: newest?.failed ?? 0,
        median_ms: newest?.medianMs ?? null,
        last_status_code: newest?.lastStatusCode ?? null,
      },
      hours: viewHours(
        starts,
        hours.filter(({ webhookId }) => webhookId === id),
      ),
      failing_since: instant(webhook.failingSince),
      retry_after: instant(retryAfter),
      disabled_reason: webhook.disabledReason,
      disabled_at: instant(webhook.disabledAt),
      previous_secret_until: instant(ifAhead(webhook.retiredUntil[0] ?? null, now)),
      created_at: toNaiveUtc(webhook.createdAt),
    };
  });
}

/** One webhook, without its secret. */
export async function viewWebhook(db: Db, webhook: Webhook, now: Date): Promise<View> {
  const [view] = await viewWebhooks(db, [webhook], now);
  if (!view) throw new Error('a webhook has no view');
  return view;
}

function viewHours(starts: readonly Date[], counted: readonly EndpointHour[]): View['hours'] {
  const byStart = new Map(counted.map((hour) => [hour.at.getTime(), hour]));
  return starts.map((start) => {
    const { accepted = 0, failed = 0 } = byStart.get(start.getTime()) ?? {};
    return { start: toUtcSeconds(start), accepted, failed };
  });
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
