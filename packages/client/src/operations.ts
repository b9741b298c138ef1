/**
 * Whether a request is retried after a failure with unknown outcome: a lost connection, a timeout, a 5xx.
 * `safe`: yes, because repeating it changes nothing. `keyed`: yes, under an Idempotency-Key, so that it is carried out once.
 * `once`: no; the caller must check first. All are retried after a 429 and if no connection was made, because then nothing was
 * carried out.
 */
export type Repeat = 'safe' | 'keyed' | 'once';

export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below /api/v1; `{name}` is a path parameter. */
  path: string;
  /** Operations of one limit share its requests per second. */
  limit: string;
  repeat: Repeat;
};

/** Every operation of the API, its limit, and whether it can be retried. */
export const OPERATIONS = {
  // For a registered number, the existing tracking is returned, and it is charged once.
  'trackings.create': { method: 'POST', path: '/trackings/create', limit: 'trackings.create', repeat: 'safe' },
  'trackings.batch': { method: 'POST', path: '/trackings/batch', limit: 'trackings.batch', repeat: 'safe' },
  'track.async': { method: 'POST', path: '/track/async', limit: 'track.async', repeat: 'safe' },
  'track.stream': { method: 'POST', path: '/track/batch-stream', limit: 'track.batch-stream', repeat: 'safe' },
  'trackings.get': { method: 'GET', path: '/trackings/get', limit: 'trackings.get', repeat: 'safe' },
  'trackings.one': { method: 'GET', path: '/trackings/{id}', limit: 'trackings.one', repeat: 'safe' },
  'trackings.explain': { method: 'GET', path: '/trackings/{id}/explain', limit: 'trackings.one', repeat: 'safe' },
  'trackings.update': { method: 'PATCH', path: '/trackings/{id}', limit: 'trackings.one', repeat: 'safe' },
  // A second DELETE finds nothing: a success would look like a failure.
  'trackings.delete': { method: 'DELETE', path: '/trackings/{id}', limit: 'trackings.one', repeat: 'once' },
  // A second retrack within the hour is refused with 4113.
  'trackings.retrack': { method: 'POST', path: '/trackings/retrack/{id}', limit: 'trackings.retrack', repeat: 'keyed' },
  'trackings.retrackNumber': {
    method: 'POST',
    path: '/trackings/retrack',
    limit: 'trackings.retrack',
    repeat: 'keyed',
  },
  'shipments.list': { method: 'GET', path: '/shipments', limit: 'shipments', repeat: 'safe' },
  'events.list': { method: 'GET', path: '/events', limit: 'events', repeat: 'safe' },
  'carriers.detect': { method: 'POST', path: '/carrier/detect', limit: 'detect', repeat: 'safe' },
  'carriers.all': { method: 'GET', path: '/couriers/all', limit: 'couriers', repeat: 'safe' },
  'webhooks.list': { method: 'GET', path: '/webhooks', limit: 'webhooks', repeat: 'safe' },
  'webhooks.one': { method: 'GET', path: '/webhooks/{id}', limit: 'webhooks', repeat: 'safe' },
  'webhooks.patch': { method: 'PATCH', path: '/webhooks/{id}', limit: 'webhooks', repeat: 'safe' },
  'webhooks.delete': { method: 'DELETE', path: '/webhooks/{id}', limit: 'webhooks', repeat: 'once' },
  'webhooks.deliveries': { method: 'GET', path: '/webhooks/deliveries', limit: 'webhooks', repeat: 'safe' },
  // Each makes another secret, or sends something to the receiver.
  'webhooks.register': { method: 'POST', path: '/webhooks', limit: 'webhooks', repeat: 'keyed' },
  'webhooks.rotateSecret': { method: 'POST', path: '/webhooks/{id}/rotate-secret', limit: 'webhooks', repeat: 'keyed' },
  'webhooks.test': { method: 'POST', path: '/webhooks/test', limit: 'webhooks', repeat: 'keyed' },
  'webhooks.check': { method: 'POST', path: '/webhooks/{id}/check', limit: 'webhooks', repeat: 'keyed' },
  'webhooks.redeliver': {
    method: 'POST',
    path: '/webhooks/deliveries/{id}/redeliver',
    limit: 'webhooks.redeliver',
    repeat: 'keyed',
  },
  'webhooks.replay': { method: 'POST', path: '/webhooks/{id}/replay', limit: 'webhooks.replay', repeat: 'keyed' },
  'webhooks.delivery': { method: 'GET', path: '/webhooks/deliveries/{id}', limit: 'webhooks', repeat: 'safe' },
  'webhooks.replays': { method: 'GET', path: '/webhooks/{id}/replays', limit: 'webhooks', repeat: 'safe' },
  'webhooks.cancelReplay': {
    method: 'DELETE',
    path: '/webhooks/{id}/replays/{replay_id}',
    limit: 'webhooks',
    repeat: 'safe',
  },
  'account.get': { method: 'GET', path: '/account', limit: 'account', repeat: 'safe' },
  'imports.start': { method: 'POST', path: '/imports', limit: 'imports.create', repeat: 'keyed' },
  'imports.list': { method: 'GET', path: '/imports', limit: 'imports', repeat: 'safe' },
  'imports.one': { method: 'GET', path: '/imports/{id}', limit: 'imports', repeat: 'safe' },
  // One that has ended is returned unchanged.
  'imports.cancel': { method: 'DELETE', path: '/imports/{id}', limit: 'imports', repeat: 'safe' },
  'imports.rejected': { method: 'GET', path: '/imports/{id}/rejected.csv', limit: 'imports', repeat: 'safe' },
  'keys.create': { method: 'POST', path: '/keys', limit: 'keys', repeat: 'keyed' },
  'keys.list': { method: 'GET', path: '/keys', limit: 'keys', repeat: 'safe' },
  'keys.revoke': { method: 'DELETE', path: '/keys/{id}', limit: 'keys', repeat: 'once' },
  'auth.me': { method: 'GET', path: '/auth/me', limit: 'account', repeat: 'safe' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
