import { ServiceError } from '@pts/core/errors';
import type { Fault } from '@pts/core/faults';
import { toNaiveUtc, toUtcSeconds } from '@pts/core/time';
import { MOST_SIGNING } from '@pts/core/webhook/rotation';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/signature';
import { refuseUrl, type UrlPolicy } from '@pts/core/webhook/url-policy';
import type { Db } from '@pts/db/connection/client';
import { countPending, type Webhook } from '@pts/db/webhooks/endpoints';
import type { ApiDeps } from '../../deps.ts';

/** Deliveries that are counted before it is only "so many or more". */
const MOST_COUNTED = 1000;

/** A webhook and, this once, its secret (spec section 4.1). */
export function viewRegistered({ id, url, events, enabled, createdAt }: Webhook, secret: string) {
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

/** Webhooks as they are managed, each with what is owed to it. */
export async function viewWebhooks(db: Db, webhooks: readonly Webhook[], now: Date) {
  const ids = webhooks.map(({ id }) => id);
  const pending = await countPending(db, ids, MOST_COUNTED);
  return webhooks.map((webhook) => ({
    ...{ id: webhook.id, url: webhook.url, events: webhook.events, enabled: webhook.enabled },
    status: statusOf(webhook),
    supersede: webhook.supersede,
    pending: pending.get(webhook.id) ?? 0,
    failing_since: instant(webhook.failingSince),
    retry_after: instant(ifAhead(webhook.notBefore, now)),
    disabled_reason: webhook.disabledReason,
    disabled_at: instant(webhook.disabledAt),
    previous_secret_until: instant(ifAhead(webhook.previousUntil, now)),
    created_at: toNaiveUtc(webhook.createdAt),
  }));
}

export async function viewWebhook(db: Db, webhook: Webhook, now: Date) {
  const [view] = await viewWebhooks(db, [webhook], now);
  return view ?? {};
}

function statusOf({ enabled, failingSince }: Webhook): 'healthy' | 'failing' | 'disabled' {
  if (!enabled) return 'disabled';
  return failingSince === null ? 'healthy' : 'failing';
}

function ifAhead(time: Date | null, now: Date): Date | null {
  return time !== null && time > now ? time : null;
}

/** A moment as answers have it. */
export function instant(time: Date | null): string | null {
  return time && toUtcSeconds(time);
}

/** What the URL policy says against a `url`, where it is a text at all. */
export function urlFaults({ urlPolicy }: Pick<ApiDeps, 'urlPolicy'>, { url }: Record<string, unknown>): Fault[] {
  const refused = typeof url === 'string' ? refuseUrl(url, urlPolicy) : null;
  if (refused === null) return [];
  return [{ field: 'url', message: refused.replace(/^url /, ''), error: 'invalid_field' }];
}

/** The address in its normal form. @throws ServiceError that says why it is refused. */
export function admitUrl(url: string, policy: UrlPolicy): string {
  const refused = refuseUrl(url, policy);
  if (refused !== null) throw refusedField('url', refused.replace(/^url /, ''));
  return new URL(url).href;
}

/** A refusal with the field named. */
export function refusedField(field: string, message: string): ServiceError {
  return new ServiceError('invalid_field', { fields: [{ field, message }] });
}

/** No secret is ended before its 24 hours, so rotations are bounded: whoever repeats one without end keeps the receiver's. */
export function tooManySecrets(field: string, until: Date): ServiceError {
  const message = `is of a webhook with ${MOST_SIGNING} secrets that sign, each for 24 hours after it was replaced; the next can be made at ${toUtcSeconds(until)}`;
  return refusedField(field, message);
}

/** What is said of a webhook that would have to be enabled. */
export const DISABLED = 'is disabled; enable it first: PATCH /api/v1/webhooks/{id} with {"enabled": true}';

export function noSuchWebhook(): ServiceError {
  return new ServiceError('not_found', {
    text: 'There is no such webhook. GET /api/v1/webhooks lists yours; register one with POST /api/v1/webhooks.',
  });
}
