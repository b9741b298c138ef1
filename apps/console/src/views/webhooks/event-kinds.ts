import type { Webhook } from '../../data/webhooks.ts';

export type EventKind = Webhook['events'][number];

/** What an endpoint can receive. */
export const EVENT_KINDS = [
  'tracking_update',
  'tracking_delivered',
  'tracking_exception',
] as const satisfies readonly EventKind[];
