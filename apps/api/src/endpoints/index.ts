import type { Endpoint } from '../endpoint.ts';
import { account } from './account.ts';
import { authMe } from './auth-me.ts';
import { detectCarrier, detectCourier } from './carrier-detect.ts';
import { couriersAll } from './couriers-all.ts';
import { events } from './events.ts';
import { shipments } from './shipments.ts';
import { trackAsync } from './track-async.ts';
import { batchTrackings } from './trackings-batch.ts';
import { changeTracking } from './trackings-change.ts';
import { createTracking } from './trackings-create.ts';
import { removeTracking } from './trackings-delete.ts';
import { explainTrackingEndpoint } from './trackings-explain.ts';
import { findTrackingEndpoint } from './trackings-find.ts';
import { getTrackings } from './trackings-get.ts';
import { retrackByBody, retrackByPath } from './trackings-retrack.ts';
import { checkWebhook } from './webhooks-check.ts';
import { webhookDeliveries } from './webhooks-deliveries.ts';
import { listWebhooksEndpoint, patchWebhook, removeWebhook, rotateWebhookSecret } from './webhooks-manage.ts';
import { registerWebhookEndpoint } from './webhooks-register.ts';
import { testWebhook } from './webhooks-test.ts';

/** Every operation of the API, in the order of spec section 4. */
export const endpoints: readonly Endpoint[] = [
  registerWebhookEndpoint,
  testWebhook,
  webhookDeliveries,
  listWebhooksEndpoint,
  patchWebhook,
  removeWebhook,
  rotateWebhookSecret,
  checkWebhook,
  createTracking,
  getTrackings,
  batchTrackings,
  trackAsync,
  shipments,
  retrackByPath,
  retrackByBody,
  findTrackingEndpoint,
  changeTracking,
  removeTracking,
  explainTrackingEndpoint,
  events,
  detectCarrier,
  detectCourier,
  couriersAll,
  authMe,
  account,
];
