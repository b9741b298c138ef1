import { refusedField } from '@pts/core/errors';
import type { EventKind } from '@pts/core/tracking/status';
import { wantMonitored } from '@pts/db/checks/schedule';
import { isDuplicate } from '@pts/db/errors';
import {
  lockAddresses,
  lockWebhook,
  updateWebhook,
  type Webhook,
  type WebhookFields,
} from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { noSuchWebhook } from './refusals.ts';
import { enabling, HEALTHY } from './states.ts';
import { admitUrl } from './url.ts';

type Context = Pick<ServiceContext, 'db' | 'urlPolicy' | 'now'>;

/** The fields of an endpoint that its account can change; omitted fields stay. */
export type WebhookChange = {
  url?: string | undefined;
  events?: readonly EventKind[] | undefined;
  enabled?: boolean | undefined;
  supersede?: boolean | undefined;
};

/**
 * Changes an endpoint atomically. Disabling it has the dispatchers drop its pending deliveries, of which none is sent if it is enabled
 * at once. Enabling a disabled one clears why it was disabled and its failures, as does a new URL, and has the pollers check the
 * account's parcels more often.
 * @throws ServiceError `not_found`, or `invalid_field` when the address is refused or belongs to another endpoint of the account.
 */
export async function changeWebhook(
  ctx: Context,
  { accountId, id, change }: { accountId: string; id: string; change: WebhookChange },
): Promise<Webhook> {
  const url = change.url === undefined ? undefined : admitUrl(ctx, change.url);
  const changed = await ctx.db
    .$transaction(async (tx) => {
      if (url !== undefined || change.enabled) await lockAddresses(tx, accountId);
      const known = await lockWebhook(tx, { accountId, id });
      if (known && change.enabled && !known.enabled) await wantMonitored(tx, accountId);
      return known && updateWebhook(tx, known, fieldsOf(known, { ...change, url }, ctx.now()));
    })
    .catch((error: unknown) => {
      throw isDuplicate(error) ? refusedField('url', 'is already used by another of your webhooks') : error;
    });
  if (!changed) throw noSuchWebhook();
  return changed;
}

function fieldsOf(known: Webhook, { url, events, supersede, enabled }: WebhookChange, now: Date): WebhookFields {
  return {
    ...(url === undefined || url === known.url ? {} : { url, ...HEALTHY }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(supersede === undefined ? {} : { supersede }),
    ...(enabled === true ? enabling(known) : {}),
    // One that is disabled keeps its time and reason.
    ...(enabled === false && known.enabled ? { enabled, disabledAt: now, disabledReason: null, dropBefore: now } : {}),
  };
}
