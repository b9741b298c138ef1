import type { LimitName } from './limits.ts';

/**
 * Whether a client may repeat a request after a failure with unknown outcome: a lost connection, a timeout, a 5xx.
 * `safe`: yes, because repeating it changes nothing. `keyed`: yes, under an Idempotency-Key, so that it is carried out once.
 * `once`: no; the caller must check first. All may be repeated after a 429 and if no connection was made, because then nothing
 * was carried out.
 */
export type Repeat = 'safe' | 'keyed' | 'once';

export type RouteLine = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below /api/v1; `:name` is a path parameter. */
  readonly path: string;
  /** Operations of one limit share its requests per second. */
  readonly limit: LimitName;
  readonly repeat: Repeat;
};

/**
 * Where each operation of the API is, by its id in the reference and in its order: what the contracts and the client have in
 * common.
 */
export const ROUTES = {
  // For a registered number, the existing tracking is returned, and it is charged once.
  createTracking: { method: 'post', path: '/trackings/create', limit: 'trackings.create', repeat: 'safe' },
  getTrackings: { method: 'get', path: '/trackings/get', limit: 'trackings.get', repeat: 'safe' },
  getTracking: { method: 'get', path: '/trackings/:id', limit: 'trackings.one', repeat: 'safe' },
  updateTracking: { method: 'patch', path: '/trackings/:id', limit: 'trackings.one', repeat: 'safe' },
  stopTracking: { method: 'post', path: '/trackings/:id/stop', limit: 'trackings.one', repeat: 'safe' },
  // A second DELETE finds nothing: a success would look like a failure.
  deleteTracking: { method: 'delete', path: '/trackings/:id', limit: 'trackings.one', repeat: 'once' },
  // A second retrack within the hour is refused with 4113.
  retrackTracking: { method: 'post', path: '/trackings/retrack/:id', limit: 'trackings.retrack', repeat: 'keyed' },
  retrackByNumber: { method: 'post', path: '/trackings/retrack', limit: 'trackings.retrack', repeat: 'keyed' },
  explainTracking: { method: 'get', path: '/trackings/:id/explain', limit: 'trackings.one', repeat: 'safe' },
  listTrackingEvents: { method: 'get', path: '/trackings/:id/events', limit: 'trackings.one', repeat: 'safe' },
  // Each makes another link.
  renewPage: { method: 'post', path: '/trackings/:id/page', limit: 'trackings.one', repeat: 'keyed' },
  revokePage: { method: 'delete', path: '/trackings/:id/page', limit: 'trackings.one', repeat: 'safe' },
  createTrackings: { method: 'post', path: '/trackings/batch', limit: 'trackings.batch', repeat: 'safe' },
  submitTrackings: { method: 'post', path: '/track/async', limit: 'track.async', repeat: 'safe' },
  streamBatch: { method: 'post', path: '/track/batch-stream', limit: 'track.batch-stream', repeat: 'safe' },
  bulkRetrack: { method: 'post', path: '/bulk/retrack', limit: 'bulk', repeat: 'keyed' },
  bulkStop: { method: 'post', path: '/bulk/stop', limit: 'bulk', repeat: 'keyed' },
  bulkDelete: { method: 'post', path: '/bulk/delete', limit: 'bulk', repeat: 'keyed' },
  bulkRedeliver: { method: 'post', path: '/bulk/redeliver', limit: 'bulk', repeat: 'keyed' },
  listBulkActions: { method: 'get', path: '/bulk', limit: 'bulk', repeat: 'safe' },
  getBulkAction: { method: 'get', path: '/bulk/:id', limit: 'bulk', repeat: 'safe' },
  cancelBulkAction: { method: 'delete', path: '/bulk/:id', limit: 'bulk', repeat: 'safe' },
  startImport: { method: 'post', path: '/imports', limit: 'imports.create', repeat: 'keyed' },
  listImports: { method: 'get', path: '/imports', limit: 'imports', repeat: 'safe' },
  getImport: { method: 'get', path: '/imports/:id', limit: 'imports', repeat: 'safe' },
  cancelImport: { method: 'delete', path: '/imports/:id', limit: 'imports', repeat: 'safe' },
  getRejectedRows: { method: 'get', path: '/imports/:id/rejected.csv', limit: 'imports', repeat: 'safe' },
  listShipments: { method: 'get', path: '/shipments', limit: 'shipments', repeat: 'safe' },
  exportShipments: { method: 'get', path: '/shipments.csv', limit: 'shipments.csv', repeat: 'safe' },
  getAttention: { method: 'get', path: '/attention', limit: 'account', repeat: 'safe' },
  getStats: { method: 'get', path: '/stats', limit: 'stats', repeat: 'safe' },
  listEvents: { method: 'get', path: '/events', limit: 'events', repeat: 'safe' },
  streamEvents: { method: 'get', path: '/events/stream', limit: 'events.stream', repeat: 'safe' },
  detectCarrier: { method: 'post', path: '/carrier/detect', limit: 'detect', repeat: 'safe' },
  listCouriers: { method: 'get', path: '/couriers/all', limit: 'couriers', repeat: 'safe' },
  getCouriersHealth: { method: 'get', path: '/couriers/health', limit: 'account', repeat: 'safe' },
  detectCourier: { method: 'post', path: '/couriers/detect', limit: 'detect', repeat: 'safe' },
  listDeliveries: { method: 'get', path: '/webhooks/deliveries', limit: 'webhooks', repeat: 'safe' },
  explainDelivery: { method: 'get', path: '/webhooks/deliveries/:id', limit: 'webhooks', repeat: 'safe' },
  redeliver: {
    method: 'post',
    path: '/webhooks/deliveries/:id/redeliver',
    limit: 'webhooks.redeliver',
    repeat: 'keyed',
  },
  startReplay: { method: 'post', path: '/webhooks/:id/replay', limit: 'webhooks.replay', repeat: 'keyed' },
  listReplays: { method: 'get', path: '/webhooks/:id/replays', limit: 'webhooks', repeat: 'safe' },
  cancelReplay: { method: 'delete', path: '/webhooks/:id/replays/:replay_id', limit: 'webhooks', repeat: 'safe' },
  testWebhook: { method: 'post', path: '/webhooks/test', limit: 'webhooks', repeat: 'keyed' },
  checkWebhook: { method: 'post', path: '/webhooks/:id/check', limit: 'webhooks', repeat: 'keyed' },
  // Each makes another secret, or sends something to the receiver.
  registerWebhook: { method: 'post', path: '/webhooks', limit: 'webhooks', repeat: 'keyed' },
  listWebhooks: { method: 'get', path: '/webhooks', limit: 'webhooks', repeat: 'safe' },
  getWebhook: { method: 'get', path: '/webhooks/:id', limit: 'webhooks', repeat: 'safe' },
  updateWebhook: { method: 'patch', path: '/webhooks/:id', limit: 'webhooks', repeat: 'safe' },
  deleteWebhook: { method: 'delete', path: '/webhooks/:id', limit: 'webhooks', repeat: 'once' },
  rotateWebhookSecret: { method: 'post', path: '/webhooks/:id/rotate-secret', limit: 'webhooks', repeat: 'keyed' },
  getAccount: { method: 'get', path: '/account', limit: 'account', repeat: 'safe' },
  getPages: { method: 'get', path: '/account/pages', limit: 'account', repeat: 'safe' },
  updatePages: { method: 'patch', path: '/account/pages', limit: 'account', repeat: 'safe' },
  getMe: { method: 'get', path: '/auth/me', limit: 'account', repeat: 'safe' },
  createKey: { method: 'post', path: '/keys', limit: 'keys', repeat: 'keyed' },
  listKeys: { method: 'get', path: '/keys', limit: 'keys', repeat: 'safe' },
  revokeKey: { method: 'delete', path: '/keys/:id', limit: 'keys', repeat: 'once' },
} as const satisfies Record<string, RouteLine>;

export type OperationId = keyof typeof ROUTES;
