import { importsOf } from './imports.ts';
import { keysOf } from './keys.ts';
import { eventsOf, shipmentsOf } from './lists.ts';
import { type CallOptions, call } from './request.ts';
import { trackingsOf, trackOf } from './trackings.ts';
import type { Account, Couriers, Detection, Me } from './types.ts';
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
        call<Detection>(wire, 'carriers.detect', { body: { tracking_number: trackingNumber } }, more),
      /** The known carriers; `trackable` says whether the service can track their parcels. */
      all: (more?: CallOptions) => call<Couriers>(wire, 'carriers.all', {}, more),
    },
    webhooks: webhooksOf(wire),
    /** The quota of the current month. */
    account: { get: (more?: CallOptions) => call<Account>(wire, 'account.get', {}, more) },
    imports: importsOf(wire),
    keys: keysOf(wire),
    /** The account of the key. */
    auth: { me: (more?: CallOptions) => call<Me>(wire, 'auth.me', {}, more) },
  };
}
