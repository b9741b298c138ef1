import { refusedField, ServiceError } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import { MAX_SIGNING } from '@pts/core/webhook/endpoint';

/** The account has no webhook of this id. */
export function noSuchWebhook(): ServiceError {
  return new ServiceError('not_found', {
    text: 'No such webhook. GET /api/v1/webhooks lists your webhooks; POST /api/v1/webhooks registers one.',
  });
}

/** The webhook that a field names must be enabled for this. */
export function webhookDisabled(field: string): ServiceError {
  return refusedField(
    field,
    'belongs to a disabled webhook; enable it first: PATCH /api/v1/webhooks/{id} with {"enabled": true}',
  );
}

/** No secret ends before its 24 hours, so rotations are limited: endless repeats cannot push out the receiver's secret. */
export function tooManySecrets(field: string, until: Date): ServiceError {
  return refusedField(
    field,
    `belongs to a webhook with ${MAX_SIGNING} active secrets (a replaced secret keeps signing for 24 hours); rotate again after ${toUtcSeconds(until)}`,
  );
}
