import type { OperationId } from '@pts/contract/routes';
import { bulkOf, importsOf } from './background.ts';
import { keysOf } from './keys.ts';
import { eventsOf, shipmentsOf } from './lists.ts';
import { type CallOptions, call, type Input } from './request.ts';
import { trackingsOf, trackOf } from './trackings.ts';
import type {
  Account,
  Couriers,
  CouriersHealth,
  Detection,
  Me,
  PageSettings,
  PageSettingsChange,
  Stats,
  StatsRange,
} from './types.ts';
import { webhooksOf } from './webhooks.ts';
import { type ClientOptions, createWire } from './wire.ts';

// With `createClient`, everything that users of the package need.
export * from './errors.ts';
export type * from './types.ts';
export type { ClientOptions } from './wire.ts';

export type Client = ReturnType<typeof createClient>;

/**
 * A client of the service. Methods return the `data` of the response envelope. Each takes, as its last argument, a signal
 * that aborts it and its own timeout and number of retries.
 * Methods throw TrackingApiError if the service refuses, NoAnswerError if it does not answer (both in `errors.ts`).
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
