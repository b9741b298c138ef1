/** Requests a second, per account and operation (spec section 8 for the first three). */
export const LIMITS = {
  'trackings.create': 3,
  'trackings.get': 2,
  'trackings.batch': 10,
  'trackings.retrack': 3,
  'trackings.one': 5,
  shipments: 5,
  'track.async': 10,
  'track.batch-stream': 1,
  detect: 10,
  couriers: 2,
  webhooks: 2,
  'webhooks.redeliver': 5,
  'webhooks.replay': 1,
  account: 5,
  events: 5,
} as const;
export type LimitName = keyof typeof LIMITS;

/** Tracking numbers that one call takes (spec section 8). */
export const MOST_NUMBERS = 40;
/** Tracking numbers that one stream takes. */
export const MOST_STREAMED = 10_000;
/** Lines of a stream that cannot be read, after which its input is not what it should be. */
export const MOST_UNREADABLE = 1000;
