import { ServiceError } from '@pts/core/errors';
import { refusedField } from '@pts/core/faults';
import { beginRound, findRedelivery, type Redelivery } from '@pts/db/deliveries/redeliver';
import type { ServiceContext } from '../context.ts';
import { webhookDisabled } from '../webhooks/refusals.ts';
import { noSuchRecord } from './refusals.ts';

/**
 * Sends the message of a delivery record to its endpoint again: a new round of the retry schedule, due now. The dispatcher
 * is woken. A message that is still pending is returned unchanged.
 * @throws ServiceError `not_found` if the record, the webhook or the message is gone; `invalid_field` if it is a ping,
 *   its webhook is disabled, or it has been sent again too often.
 */
export async function redeliver(
  ctx: Pick<ServiceContext, 'db' | 'producer' | 'retentionDays' | 'now'>,
  { accountId, recordId }: { accountId: string; recordId: bigint },
): Promise<Redelivery> {
  const isNew = await beginRound(ctx.db, { accountId, recordId, now: ctx.now() });
  const found = await findRedelivery(ctx.db, accountId, recordId);
  if (!found) throw noSuchRecord();
  const { webhookId, isFailing } = found;
  if (isNew) await ctx.producer.deliver([{ webhookId, isFailing }]);
  const isPending = found.isKept && found.isEnabled && found.state === 'owed';
  if (isNew || isPending) return found;
  throw refusal(found, ctx.retentionDays);
}

function refusal({ isOfEvent, hasWebhook, isKept, isEnabled }: Redelivery, retentionDays: number): ServiceError {
  if (!isOfEvent)
    return refusedField(
      'id',
      'belongs to a ping, which cannot be sent again; send a new one with POST /api/v1/webhooks/test',
    );
  if (!hasWebhook) return new ServiceError('not_found', { text: 'The webhook of this delivery was deleted.' });
  if (!isKept)
    return new ServiceError('not_found', {
      text: `The message has expired: events are kept for ${retentionDays} days.`,
    });
  if (!isEnabled) return webhookDisabled('id');
  return refusedField('id', 'belongs to a message that was redelivered too often; it cannot be sent again');
}
