import { refusedField, ServiceError } from '@pts/core/errors';
import { beginRound, findRedelivery, type Redelivery } from '@pts/db/deliveries/redeliver';
import type { ServiceContext } from '../context.ts';
import { webhookDisabled } from '../webhooks/refusals.ts';
import { noSuchRecord } from './refusals.ts';

type Key = { accountId: string; recordId: string };

/**
 * What a redelivery has come to. `pending`: it is due already; `sent_again`: another round has begun since the record. All
 * others are refusals.
 */
export type RedeliveryOutcome = 'begun' | 'pending' | 'sent_again' | Refused;
type Refused = 'ping' | 'webhook_deleted' | 'expired' | 'webhook_disabled' | 'too_often';

/**
 * Sends the message of a delivery record to its endpoint again: a new round of the retry schedule, due now. The dispatcher
 * is woken. A message that is due already is returned unchanged.
 * @throws ServiceError `not_found` if the record, the webhook or the message is gone; `invalid_field` if it is a ping,
 *   its webhook is disabled, or it has been sent again too often.
 */
export async function redeliver(
  ctx: Pick<ServiceContext, 'db' | 'producer' | 'retentionDays' | 'now'>,
  key: Key,
): Promise<Redelivery> {
  const result = await beginRedelivery(ctx, { ...key, isOnce: false });
  if (!result) throw noSuchRecord();
  const { outcome, found } = result;
  if (outcome === 'begun' || outcome === 'pending' || outcome === 'sent_again') return found;
  throw refusal(outcome, ctx.retentionDays);
}

/**
 * The same, with its outcome as a value.
 * @param key.isOnce only if no other round has begun since the record.
 * @returns null if the account has no such record.
 */
export async function beginRedelivery(
  { db, producer, now }: Pick<ServiceContext, 'db' | 'producer' | 'now'>,
  key: Key & { isOnce: boolean },
): Promise<{ outcome: RedeliveryOutcome; found: Redelivery } | null> {
  const isNew = await beginRound(db, { ...key, now: now() });
  const found = await findRedelivery(db, key.accountId, key.recordId);
  if (!found) return null;
  const { webhookId, isFailing } = found;
  if (isNew) await producer.deliver([{ webhookId, accountId: key.accountId, isFailing }]);
  return { outcome: isNew ? 'begun' : whyNot(found, key.isOnce), found };
}

function whyNot({ isOfEvent, hasWebhook, isKept, isEnabled, state, round, recordRound }: Redelivery, isOnce: boolean) {
  if (!isOfEvent) return 'ping';
  if (!hasWebhook) return 'webhook_deleted';
  if (!isKept) return 'expired';
  if (isOnce && round > recordRound) return 'sent_again';
  if (!isEnabled) return 'webhook_disabled';
  return state === 'owed' ? 'pending' : 'too_often';
}

function refusal(outcome: Refused, retentionDays: number): ServiceError {
  switch (outcome) {
    case 'ping':
      return refusedField(
        'id',
        'belongs to a ping, which cannot be sent again; send a new one with POST /api/v1/webhooks/test',
      );
    case 'webhook_deleted':
      return new ServiceError('not_found', { text: 'The webhook of this delivery was deleted.' });
    case 'expired':
      return new ServiceError('not_found', {
        text: `The message has expired: events are kept for ${retentionDays} days.`,
      });
    case 'webhook_disabled':
      return webhookDisabled('id');
    case 'too_often':
      return refusedField('id', 'belongs to a message that was redelivered too often; it cannot be sent again');
    default:
      return outcome satisfies never;
  }
}
