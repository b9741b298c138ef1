import { refusedField } from '@pts/core/errors';
import type { EventKind } from '@pts/core/tracking/status';
import { MAX_WEBHOOKS, rotate } from '@pts/core/webhook/endpoint';
import { wantMonitored } from '@pts/db/checks/schedule';
import { freshId } from '@pts/db/ids';
import {
  countWebhooks,
  insertWebhook,
  lockAddresses,
  lockWebhook,
  updateWebhook,
  type Webhook,
} from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { tooManySecrets } from './refusals.ts';
import { makeSecret } from './secret.ts';
import { ENABLED } from './states.ts';
import { admitUrl } from './url.ts';

type Context = Pick<ServiceContext, 'db' | 'secretCipher' | 'urlPolicy' | 'now'>;

/** An endpoint and its new secret, which is returned only here. */
export type WebhookWithSecret = { webhook: Webhook; secret: string };

/**
 * Registers an endpoint, and has the pollers check the account's parcels more often. A URL that is already registered gets a new
 * secret and these events and is enabled again; a replaced secret keeps signing for 24 hours. One that is enabled keeps its failures.
 * @param input.supersede defaults to the current value, or false for a new endpoint.
 * @throws ServiceError `invalid_field`: the address is refused, the account has reached its maximum of webhooks, or too many
 *   secrets of this one sign.
 */
export async function registerWebhook(
  ctx: Context,
  input: { accountId: string; url: string; events: readonly EventKind[]; supersede?: boolean | undefined },
): Promise<WebhookWithSecret> {
  const { accountId } = input;
  const url = admitUrl(ctx, input.url);
  const now = ctx.now();
  const { secret, encryptedSecret } = makeSecret(ctx);
  const chosen = {
    events: [...new Set(input.events)],
    ...(input.supersede === undefined ? {} : { supersede: input.supersede }),
  };
  const webhook = await ctx.db.$transaction(async (tx) => {
    await lockAddresses(tx, accountId);
    // Locked too, so that it is neither deleted nor rotated in between.
    const known = await lockWebhook(tx, { accountId, url });
    if (!known?.enabled) await wantMonitored(tx, accountId);
    if (known) {
      const rotated = rotate(known, encryptedSecret, now);
      if (rotated.kind === 'too_many') throw tooManySecrets('url', rotated.until);
      // An account may register its endpoint at each start: that must not hide that it fails.
      return updateWebhook(tx, known, { ...chosen, ...(known.enabled ? {} : ENABLED), ...rotated.secrets });
    }
    if ((await countWebhooks(tx, accountId)) >= MAX_WEBHOOKS) throw tooManyWebhooks();
    return insertWebhook(tx, { id: freshId(now), accountId, url, encryptedSecret, createdAt: now, ...chosen });
  });
  if (!webhook) throw new Error('a webhook has gone while it was locked');
  return { webhook, secret };
}

function tooManyWebhooks() {
  return refusedField('url', `exceeds the limit of ${MAX_WEBHOOKS} webhooks per account; delete one first`);
}
