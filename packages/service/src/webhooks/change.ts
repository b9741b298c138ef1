import { refusedField } from '@pts/core/faults';
import type { EventKind } from '@pts/core/tracking/emit';
import { type Db, isDuplicate } from '@pts/db/connection/client';
import { cancelPending } from '@pts/db/deliveries/pending';
import {
  lockAddresses,
  lockWebhook,
  updateWebhook,
  type Webhook,
  type WebhookFields,
} from '@pts/db/webhooks/endpoints';
import type { ServiceContext } from '../context.ts';
import { useMonitoredInterval } from '../trackings/use-monitored-interval.ts';
import { noSuchWebhook } from './refusals.ts';
import { enabling, HEALTHY } from './states.ts';
import { admitUrl } from './url.ts';

type Context = Pick<ServiceContext, 'db' | 'urlPolicy' | 'providers' | 'monitoredSeconds' | 'now'>;

/** The fields of an endpoint that its account can change; omitted fields stay. */
export type WebhookChange = {
  url?: string | undefined;
  events?: readonly EventKind[] | undefined;
  enabled?: boolean | undefined;
  supersede?: boolean | undefined;
};

/** How many pending deliveries are dropped at a time, and how often: the dispatcher drops any others, within seconds. */
const DROP = { size: 1000, times: 10 };

/**
 * Changes an endpoint atomically. Disabling it drops its pending deliveries, so that none is left if it is enabled at once.
 * Enabling a disabled one clears why it was disabled and its failures, as does a new URL. Once it is enabled, the account's parcels
 * are checked more often.
 * @throws ServiceError `not_found`, or `invalid_field` when the address is refused or belongs to another endpoint of the account.
 */
export async function changeWebhook(
  ctx: Context,
  { accountId, id, change }: { accountId: string; id: string; change: WebhookChange },
): Promise<Webhook> {
  const url = change.url === undefined ? undefined : admitUrl(ctx, change.url);
  const changed = await ctx.db
    .$transaction(async (tx) => {
      if (url !== undefined) await lockAddresses(tx, accountId);
      const known = await lockWebhook(tx, { accountId, id });
      return known && updateWebhook(tx, known, fieldsOf(known, { ...change, url }, ctx.now()));
    })
    .catch((error: unknown) => {
      throw isDuplicate(error) ? refusedField('url', 'is already used by another of your webhooks') : error;
    });
  if (!changed) throw noSuchWebhook();
  if (change.enabled) await useMonitoredInterval(ctx, accountId);
  if (change.enabled === false) await dropPending(ctx.db, changed);
  return changed;
}

async function dropPending(db: Db, { id: webhookId, accountId }: Webhook): Promise<void> {
  for (let n = 0; n < DROP.times; n++)
    if ((await cancelPending(db, { webhookId, accountId }, DROP.size)) < DROP.size) return;
}

function fieldsOf(known: Webhook, { url, events, supersede, enabled }: WebhookChange, now: Date): WebhookFields {
  return {
    ...(url === undefined || url === known.url ? {} : { url, ...HEALTHY }),
    ...(events === undefined ? {} : { events: [...new Set(events)] }),
    ...(supersede === undefined ? {} : { supersede }),
    ...(enabled === true ? enabling(known) : {}),
    // One that is disabled keeps its time and reason.
    ...(enabled === false && known.enabled ? { enabled, disabledAt: now, disabledReason: null } : {}),
  };
}
