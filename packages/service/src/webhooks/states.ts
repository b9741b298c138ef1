import type { Webhook, WebhookFields } from '@pts/db/webhooks/endpoints';

/** The health of an endpoint that is enabled or gets a new URL: earlier failures do not count. */
export const HEALTHY = { failingSince: null, lastFailedAt: null, notBefore: null };

/** What changes when a disabled endpoint is enabled. */
export const ENABLED = { ...HEALTHY, enabled: true, disabledReason: null, disabledAt: null };

/** What an owner's wish to enable an endpoint changes. One that is enabled already may go on at once, but fails as long as it did. */
export function enabling({ enabled }: Pick<Webhook, 'enabled'>): WebhookFields {
  return enabled ? { notBefore: null } : ENABLED;
}
