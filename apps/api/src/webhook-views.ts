import { ApiError } from '@pts/core/errors';
import { toNaiveUtc } from '@pts/core/time';
import { SIGNATURE_HEADER_TEXT } from '@pts/core/webhook/signature';
import type { Webhook } from '@pts/db/webhooks';

/** After a rotation the secret before signs along for this long. */
const ROTATION_HOURS = 24;

export function previousUntil(now: Date): Date {
  return new Date(now.getTime() + ROTATION_HOURS * 3_600_000);
}

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

export function viewWebhook({ id, url, events, enabled, disabledReason, createdAt }: Webhook) {
  return { id, url, events, enabled, disabled_reason: disabledReason, created_at: toNaiveUtc(createdAt) };
}

export function noSuchWebhook(): ApiError {
  return new ApiError('not_found', {
    text: 'There is no such webhook. GET /api/v1/webhooks lists yours; register one with POST /api/v1/webhooks.',
  });
}
