import { rotate } from '@pts/core/webhook/endpoint';
import { lockWebhook, updateWebhook } from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { noSuchWebhook, tooManySecrets } from './refusals.ts';
import type { WebhookWithSecret } from './register.ts';
import { makeSecret } from './secret.ts';

/**
 * Rotates the secret of an endpoint. The new one is returned only here; a replaced secret keeps signing for 24 hours.
 * @throws ServiceError `not_found`, or `invalid_field` when too many secrets sign.
 */
export async function rotateWebhookSecret(
  ctx: Pick<ServiceContext, 'db' | 'secretCipher' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<WebhookWithSecret> {
  const now = ctx.now();
  const { secret, encryptedSecret } = makeSecret(ctx);
  const webhook = await ctx.db.$transaction(async (tx) => {
    // Locked, so that concurrent rotations do not lose each other's secret.
    const known = await lockWebhook(tx, { accountId, id });
    if (!known) return null;
    const rotated = rotate(known, encryptedSecret, now);
    if (rotated.kind === 'too_many') throw tooManySecrets('id', rotated.until);
    return updateWebhook(tx, known, rotated.secrets);
  });
  if (!webhook) throw noSuchWebhook();
  return { webhook, secret };
}
