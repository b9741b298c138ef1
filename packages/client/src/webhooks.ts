import { deliveriesOf } from './lists.ts';
import { type CallOptions, call } from './request.ts';
import type * as t from './types.ts';
import type { Wire } from './wire.ts';

/** Four pushes to a receiver that takes its full 10 seconds for each. */
const CHECK_TIMEOUT_MS = 60_000;

/** An account's receivers (spec section 4.1). */
export function webhooksOf(wire: Wire) {
  const log = deliveriesOf(wire);
  return {
    /** Registers a receiver; its secret is returned only here. A known URL gets a new secret. */
    register: (webhook: t.NewWebhook, options?: CallOptions) =>
      call<t.RegisteredWebhook>(wire, 'registerWebhook', { body: webhook }, options),
    list: (options?: CallOptions) => call<t.Webhooks>(wire, 'listWebhooks', {}, options),
    one: (id: string, options?: CallOptions) => call<t.Webhook>(wire, 'getWebhook', { id }, options),
    patch: (id: string, change: t.WebhookChange, options?: CallOptions) =>
      call<t.Webhook>(wire, 'updateWebhook', { id, body: change }, options),
    /** Removes a webhook; nothing more is sent to it, not even pending deliveries. */
    delete: (id: string, options?: CallOptions) => call<t.Deleted>(wire, 'deleteWebhook', { id }, options),
    /** Rotates the secret; a replaced secret keeps signing for 24 hours. */
    rotateSecret: (id: string, options?: CallOptions) =>
      call<t.RotatedWebhook>(wire, 'rotateWebhookSecret', { id }, options),
    /** Sends a signed ping, by default to the newest receiver. */
    test: (id?: string, options?: CallOptions) =>
      call<t.WebhookTest>(wire, 'testWebhook', { body: id === undefined ? {} : { id } }, options),
    /** Sends one push of your choice, right or wrong on purpose: a sample of an event, or a ping. */
    sendTest: (id: string, push: Pick<t.WebhookToTest, 'kind' | 'event'>, options?: CallOptions) =>
      call<t.WebhookTest>(wire, 'testWebhook', { body: { id, ...push } }, options),
    /** What that would send now, with its headers and what they sign; nothing is sent. */
    previewTest: (id: string, push: Pick<t.WebhookToTest, 'kind' | 'event'>, options?: CallOptions) =>
      call<t.DryRunTest>(wire, 'testWebhook', { body: { id, ...push, dry_run: true } }, options),
    /** Checks with four pings whether a receiver verifies pushes, and what to fix. Takes four times the receiver's response time. */
    check: (id: string, options?: CallOptions) =>
      call<t.WebhookCheck>(wire, 'checkWebhook', { id }, { timeoutMs: CHECK_TIMEOUT_MS, ...options }),
    /** A page of 50 attempts, newest first. */
    deliveries: log.list,
    /** All attempts, page after page, as far back as they are kept. */
    iterateDeliveries: log.iterate,
    /** One attempt in detail: what was sent, what came back, how long it took. */
    delivery: (deliveryId: string, options?: CallOptions) =>
      call<t.DeliveryDetails>(wire, 'explainDelivery', { id: deliveryId }, options),
    /** Sends one delivery again. */
    redeliver: (deliveryId: string, options?: CallOptions) =>
      call<t.Redelivery>(wire, 'redeliver', { id: deliveryId }, options),
    /** Sends all events of a time range again. */
    replay: (id: string, range: t.ReplayRange, options?: CallOptions) =>
      call<t.Replay>(wire, 'startReplay', { id, body: range }, options),
    /** How many messages that would send now; none is sent. */
    countReplay: (id: string, range: t.ReplayRange, options?: CallOptions) =>
      call<t.DryRunReplay>(wire, 'startReplay', { id, body: { ...range, dry_run: true } }, options),
    replays: (id: string, options?: CallOptions) => call<t.Replays>(wire, 'listReplays', { id }, options),
    cancelReplay: (id: string, replayId: string, options?: CallOptions) =>
      call<t.Replay>(wire, 'cancelReplay', { id, replayId }, options),
  };
}
