import { eventsOf, shipmentsOf } from './lists.ts';
import { type CallOptions, call } from './request.ts';
import { trackingsOf, trackOf } from './trackings.ts';
import type { Account, Couriers, Detection, Me } from './types.ts';
import { webhooksOf } from './webhooks.ts';
import { type ClientOptions, createWire } from './wire.ts';

// With `createClient`, all that a project needs which installed the package.
export * from './errors.ts';
export type * from './types.ts';
export type { ClientOptions } from './wire.ts';

export type Client = ReturnType<typeof createClient>;

/**
 * A client of the service. Methods give the `data` of the answer's envelope. Each takes, as its last argument, a signal
 * that ends it and a timeout and number of retries of its own.
 * Methods throw TrackingApiError for a refusal by the service, NoAnswerError where it did not answer (both in `errors.ts`).
 * @throws TypeError when the base URL or the key cannot be one.
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
      /** The known carriers; `trackable` says whether the service can ask them. */
      all: (more?: CallOptions) => call<Couriers>(wire, 'carriers.all', {}, more),
    },
    webhooks: webhooksOf(wire),
    /** How much of the month's quota is used. */
    account: { get: (more?: CallOptions) => call<Account>(wire, 'account.get', {}, more) },
    /** Whose key this is. */
    auth: { me: (more?: CallOptions) => call<Me>(wire, 'auth.me', {}, more) },
  };
}
