import type { OperationId } from '@pts/contract/routes';
import { bulkOf, importsOf } from './background.ts';
import { deliveriesOf, eventsOf, shipmentsOf } from './lists.ts';
import { type CallOptions, type ClientOptions, call, createWire, type Input, type Wire } from './request.ts';
import { type StreamNumbers, streamBatch } from './stream.ts';
import type * as t from './types.ts';
import type {
  Account,
  AccountChange,
  Couriers,
  CouriersHealth,
  Detection,
  Me,
  Notices,
  PageSettings,
  PageSettingsChange,
  Stats,
  StatsRange,
} from './types.ts';

// With `createClient`, everything that users of the package need.
export * from './errors.ts';
export type { ClientOptions } from './request.ts';
export type * from './types.ts';

export type Client = ReturnType<typeof createClient>;

/**
 * A client of the service. Methods return the `data` of the response envelope. Each takes, as its last argument, a
 * signal that aborts it and its own timeout and number of retries. Methods throw TrackingApiError if the service
 * refuses, NoAnswerError if it does not answer (both in `errors.ts`).
 * @throws TypeError if the base URL or the key is malformed.
 */
export function createClient(options: ClientOptions) {
  const wire = createWire(options);
  return {
    trackings: trackingsOf(wire),
    track: trackOf(wire),
    shipments: shipmentsOf(wire),
    events: eventsOf(wire),
    carriers: {
      /** Possible carriers of a number, best first. It registers nothing. */
      detect: (trackingNumber: string, more?: CallOptions) =>
        call<Detection>(wire, 'detectCarrier', { body: { tracking_number: trackingNumber } }, more),
      /** The known carriers; `trackable` says whether the service can track their parcels. */
      all: (more?: CallOptions) => call<Couriers>(wire, 'listCouriers', {}, more),
      /** Whether the carriers of the account's parcels are checked in time. */
      health: (more?: CallOptions) => call<CouriersHealth>(wire, 'getCouriersHealth', {}, more),
    },
    webhooks: webhooksOf(wire),
    account: {
      /** The quota of the current month. */
      get: (more?: CallOptions) => call<Account>(wire, 'getAccount', {}, more),
      /** Chooses the optional fields of answers, pushes and events. */
      change: (change: AccountChange, more?: CallOptions) =>
        call<Account>(wire, 'updateAccount', { body: change }, more),
      /** Notices about the account itself, newest first. */
      notices: (page: { limit?: number | undefined; before?: string | undefined } = {}, more?: CallOptions) =>
        call<Notices>(wire, 'listNotices', { query: page }, more),
      /** The settings of the tracking pages for buyers. */
      pages: (more?: CallOptions) => call<PageSettings>(wire, 'getPages', {}, more),
      /** Changes them, or turns the pages on; omitted fields stay. */
      changePages: (change: PageSettingsChange, more?: CallOptions) =>
        call<PageSettings>(wire, 'updatePages', { body: change }, more),
    },
    imports: importsOf(wire),
    bulk: bulkOf(wire),
    keys: keysOf(wire),
    /** Parcels by status and carrier, activity by hour or day, transit times; defaults to the last seven days. */
    stats: {
      get: (range: StatsRange = {}, more?: CallOptions) => call<Stats>(wire, 'getStats', { query: range }, more),
    },
    /** Any operation that answers with JSON, by its id in the reference: also one without a method here. */
    call: <T = unknown>(operation: OperationId, input: Input = {}, more?: CallOptions) =>
      call<T>(wire, operation, input, more),
    /** The account of the key. */
    auth: { me: (more?: CallOptions) => call<Me>(wire, 'getMe', {}, more) },
  };
}

/** Up to 40 numbers, with or without optional fields. */
type Numbers = readonly (string | t.NewTracking)[];

/** One parcel, or up to 40 (spec section 4.2). */
function trackingsOf(wire: Wire) {
  return {
    /** Registers a number: costs one unit of quota, or none if it is already registered. */
    create: (tracking: string | t.NewTracking, options?: CallOptions) =>
      call<t.CreatedTracking>(wire, 'createTracking', { body: toTracking(tracking) }, options),
    /** A dry run of `create`; nothing is registered or charged. */
    dryRun: (tracking: string | t.NewTracking, options?: CallOptions) =>
      call<t.DryRun>(wire, 'createTracking', { body: { ...toTracking(tracking), dry_run: true } }, options),
    /** The trackings of up to 40 numbers. To poll many, use `shipments`. */
    get: (numbers: string | readonly string[], options?: CallOptions) =>
      call<t.FoundTrackings>(
        wire,
        'getTrackings',
        { query: { tracking_numbers: [numbers].flat().join(',') } },
        options,
      ),
    /** The trackings of up to 40 orders; at most 200. */
    ofOrders: (orderIds: string | readonly string[], options?: CallOptions) =>
      call<t.FoundTrackings>(wire, 'getTrackings', { query: { order_ids: [orderIds].flat().join(',') } }, options),
    /** Registers up to 40 numbers; refused ones are listed in `error`. */
    batch: (numbers: Numbers, options?: CallOptions) =>
      call<t.BatchResult>(wire, 'createTrackings', { body: numbers.map(toTracking) }, options),
    /** A dry run of `batch`, with the units of quota that it would use in all. */
    dryRunBatch: (numbers: Numbers, options?: CallOptions) =>
      call<t.DryRunBatch>(
        wire,
        'createTrackings',
        { body: { trackings: numbers.map(toTracking), dry_run: true } },
        options,
      ),
    one: (id: string, options?: CallOptions) => call<t.Tracking>(wire, 'getTracking', { id }, options),
    update: (id: string, change: t.TrackingChange, options?: CallOptions) =>
      call<t.Tracking>(wire, 'updateTracking', { id, body: change }, options),
    delete: (id: string, options?: CallOptions) => call<t.Deleted>(wire, 'deleteTracking', { id }, options),
    /** Restores trackings that were removed in the last 24 hours: by their ids, or up to 1,000 of a bulk action. */
    restore: (removed: t.TrackingsToRestore, options?: CallOptions) =>
      call<t.RestoredTrackings>(wire, 'restoreTrackings', { body: removed }, options),
    explain: (id: string, options?: CallOptions) => call<t.Explanation>(wire, 'explainTracking', { id }, options),
    /** Its events, newest first, and what became of their pushes. */
    events: (id: string, options?: CallOptions) => call<t.TrackingEvents>(wire, 'listTrackingEvents', { id }, options),
    /** Checks the tracking with its carrier now, at most once an hour. */
    retrack: (id: string, options?: CallOptions) => call<t.Retracked>(wire, 'retrackTracking', { id }, options),
    /** Stops polling; the tracking stays, and a retrack resumes it. */
    stop: (id: string, options?: CallOptions) => call<t.Tracking>(wire, 'stopTracking', { id }, options),
    /** The link to the buyer's page of an order. */
    orderPage: (orderId: string, options?: CallOptions) =>
      call<t.OrderPageLink>(wire, 'getOrderPage', { query: { order_id: orderId } }, options),
    /** A new link to the buyer's page; former ones lead nowhere from then on. */
    renewPage: (id: string, options?: CallOptions) => call<t.PageLink>(wire, 'renewPage', { id }, options),
    /** Revokes the link to the buyer's page. */
    revokePage: (id: string, options?: CallOptions) => call<t.PageLink>(wire, 'revokePage', { id }, options),
    /** Retracks by number; `courier_code` is required if it is registered with several carriers. */
    retrackNumber: (tracking: { tracking_number: string; courier_code?: string }, options?: CallOptions) =>
      call<t.Retracked>(wire, 'retrackByNumber', { body: tracking }, options),
  };
}

/** Many parcels: in the background, or as one stream. */
function trackOf(wire: Wire) {
  return {
    /** Registers up to 40 numbers and returns a URL to poll for exactly these: pass `poll_url` to `shipments.poll`. */
    async: (numbers: Numbers, options?: CallOptions) =>
      call<t.AsyncResult>(wire, 'submitTrackings', { body: numbers.map(toTracking) }, options),
    /** Registers thousands of numbers; yields the first answer of each as it arrives, and a summary at the end. */
    stream: (numbers: StreamNumbers, options?: CallOptions) => streamBatch(wire, numbers, options),
  };
}

function toTracking(tracking: string | t.NewTracking): t.NewTracking {
  return typeof tracking === 'string' ? { tracking_number: tracking } : tracking;
}

/** Four pushes to a receiver that takes its full 10 seconds for each. */
const CHECK_TIMEOUT_MS = 60_000;

/** An account's receivers (spec section 4.1). */
function webhooksOf(wire: Wire) {
  const log = deliveriesOf(wire);
  return {
    /** Registers a receiver; its secret is returned only here. A known URL gets a new secret. */
    register: (webhook: t.NewWebhook, options?: CallOptions) =>
      call<t.RegisteredWebhook>(wire, 'registerWebhook', { body: webhook }, options),
    list: (options?: CallOptions) => call<t.Webhooks>(wire, 'listWebhooks', {}, options),
    one: (id: string, options?: CallOptions) => call<t.Webhook>(wire, 'getWebhook', { id }, options),
    patch: (id: string, change: t.WebhookChange, options?: CallOptions) =>
      call<t.ChangedWebhook>(wire, 'updateWebhook', { id, body: change }, options),
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
    /** The push that `sendTest` would send now, with its headers and what they sign; nothing is sent. */
    previewTest: (id: string, push: Pick<t.WebhookToTest, 'kind' | 'event'>, options?: CallOptions) =>
      call<t.DryRunTest>(wire, 'testWebhook', { body: { id, ...push, dry_run: true } }, options),
    /**
     * Checks with four pings whether a receiver verifies pushes, and what to fix. Takes four times the receiver's
     * response time.
     */
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

/** The keys of the account, for keys with the scope `admin`. */
function keysOf(wire: Wire) {
  return {
    /** Creates a key with at most what the own key has. The key is only in this answer. */
    create: (key: t.NewApiKey, options?: CallOptions) =>
      call<t.CreatedApiKey>(wire, 'createKey', { body: key }, options),
    /** All keys, without the keys themselves. */
    list: (options?: CallOptions) => call<t.ApiKeys>(wire, 'listKeys', {}, options),
    /** Revokes a key within a second. The last one with the scope `admin` cannot be revoked. */
    revoke: (id: string, options?: CallOptions) => call<t.RevokedApiKey>(wire, 'revokeKey', { id }, options),
  };
}
