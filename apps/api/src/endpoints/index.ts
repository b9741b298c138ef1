import type { Operation, StreamOperation } from '../http/operation.ts';
import { account } from './account/account.ts';
import { authMe } from './account/auth-me.ts';
import { couriersAll } from './couriers/all.ts';
import { detectCarrier, detectCourier } from './couriers/detect.ts';
import { webhookDelivery } from './deliveries/get.ts';
import { webhookDeliveries } from './deliveries/list.ts';
import { redeliverWebhook } from './deliveries/redeliver.ts';
import { events } from './events/events.ts';
import { batchTrackings } from './trackings/batch.ts';
import { changeTracking } from './trackings/change.ts';
import { createTracking } from './trackings/create.ts';
import { removeTracking } from './trackings/delete.ts';
import { explainTrackingEndpoint } from './trackings/explain.ts';
import { findTrackingEndpoint } from './trackings/find.ts';
import { getTrackings } from './trackings/get.ts';
import { retrackByBody, retrackByPath } from './trackings/retrack.ts';
import { shipments } from './trackings/shipments.ts';
import { batchStream } from './trackings/stream.ts';
import { trackAsync } from './trackings/submit.ts';
import { checkWebhook } from './webhooks/check.ts';
import {
  findWebhookEndpoint,
  listWebhooksEndpoint,
  patchWebhook,
  removeWebhook,
  rotateWebhookSecret,
} from './webhooks/manage.ts';
import { testWebhook } from './webhooks/ping.ts';
import { registerWebhookEndpoint } from './webhooks/register.ts';
import { cancelReplayEndpoint, listReplaysEndpoint, startReplayEndpoint } from './webhooks/replay.ts';

/** Every operation of the API, in the order of spec section 4. */
export const operations: readonly (Operation | StreamOperation)[] = [
  registerWebhookEndpoint,
  testWebhook,
  webhookDeliveries,
  webhookDelivery,
  redeliverWebhook,
  listWebhooksEndpoint,
  findWebhookEndpoint,
  patchWebhook,
  removeWebhook,
  rotateWebhookSecret,
  checkWebhook,
  startReplayEndpoint,
  listReplaysEndpoint,
  cancelReplayEndpoint,
  createTracking,
  getTrackings,
  batchTrackings,
  trackAsync,
  batchStream,
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
