import { wantMonitored } from '@pts/db/checks/schedule';
import { lockAddresses, lockWebhook, updateWebhook, type Webhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { noSuchWebhook } from './refusals.ts';
import { enabling } from './states.ts';

/**
 * Enables an endpoint, and forgets why it was disabled and its failures then. The pollers then check the account's parcels more
 * often.
 * @throws ServiceError `not_found`.
 */
export async function enableWebhook(
  ctx: Pick<ServiceContext, 'db'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Webhook> {
  const webhook = await ctx.db.$transaction(async (tx) => {
    await lockAddresses(tx, accountId);
    const known = await lockWebhook(tx, { accountId, id });
    if (known && !known.enabled) await wantMonitored(tx, accountId);
    return known && updateWebhook(tx, known, enabling(known));
  });
  if (!webhook) throw noSuchWebhook();
  return webhook;
}
