import { lockWebhook, updateWebhook, type Webhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { useMonitoredInterval } from '../trackings/use-monitored-interval.ts';
import { noSuchWebhook } from './refusals.ts';
import { enabling } from './states.ts';

/**
 * Enables an endpoint, and forgets why it was disabled and its failures then. The account's parcels are checked more often.
 * @throws ServiceError `not_found`.
 */
export async function enableWebhook(
  ctx: Pick<ServiceContext, 'db' | 'providers' | 'monitoredSeconds' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Webhook> {
  const webhook = await ctx.db.$transaction(async (tx) => {
    const known = await lockWebhook(tx, { accountId, id });
    return known && updateWebhook(tx, known, enabling(known));
  });
  if (!webhook) throw noSuchWebhook();
  await useMonitoredInterval(ctx, accountId);
  return webhook;
}
