import type { Operation, StreamOperation } from '../http/operation.ts';
import { getAccount } from './account/get.ts';
import { getMe } from './account/get-me.ts';
import { changePages, readPages } from './account/pages.ts';
import { getStats } from './account/stats.ts';
import { cancelBulkAction, getBulkAction } from './bulk/get.ts';
import { listBulkActions } from './bulk/list.ts';
import { bulkDelete, bulkRedeliver, bulkRetrack, bulkStop } from './bulk/start.ts';
import { couriersAll } from './couriers/all.ts';
import { detectCarrier, detectCourier } from './couriers/detect.ts';
import { couriersHealth } from './couriers/health.ts';
import { explainDelivery } from './deliveries/explain.ts';
import { listDeliveries } from './deliveries/list.ts';
import { redeliver } from './deliveries/redeliver.ts';
import { listEvents } from './events/list.ts';
import { streamEvents } from './events/stream.ts';
import { cancelImport, getImport } from './imports/get.ts';
import { listImports } from './imports/list.ts';
import { rejectedRows } from './imports/rejected.ts';
import { startImport } from './imports/start.ts';
import { createKey } from './keys/create.ts';
import { listKeys } from './keys/list.ts';
import { revokeKey } from './keys/revoke.ts';
import { attention } from './shipments/attention.ts';
import { shipmentsCsv } from './shipments/csv.ts';
import { shipments } from './shipments/list.ts';
import { batchTrackings } from './trackings/batch.ts';
import { changeTracking } from './trackings/change.ts';
import { createTracking } from './trackings/create.ts';
import { removeTracking } from './trackings/delete.ts';
import { listTrackingEvents } from './trackings/events.ts';
import { explainTrackingEndpoint } from './trackings/explain.ts';
import { findTrackingEndpoint } from './trackings/find.ts';
import { getTrackings } from './trackings/get.ts';
import { renewPageLink, revokePageLink } from './trackings/page-link.ts';
import { retrackByBody, retrackByPath } from './trackings/retrack.ts';
import { stopTracking } from './trackings/stop.ts';
import { batchStream } from './trackings/stream.ts';
import { trackAsync } from './trackings/submit.ts';
import { cancelReplay } from './webhooks/cancel-replay.ts';
import { checkWebhook } from './webhooks/check.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { getWebhook } from './webhooks/get.ts';
import { listWebhooks } from './webhooks/list.ts';
import { listReplays } from './webhooks/list-replays.ts';
import { testWebhook } from './webhooks/ping.ts';
import { registerWebhook } from './webhooks/register.ts';
import { rotateWebhookSecret } from './webhooks/rotate-secret.ts';
import { startReplay } from './webhooks/start-replay.ts';
import { updateWebhook } from './webhooks/update.ts';

/** Every operation of the API, in the order of spec section 4. */
export const operations: readonly (Operation | StreamOperation)[] = [
  registerWebhook,
  testWebhook,
  listDeliveries,
  explainDelivery,
  redeliver,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  checkWebhook,
  startReplay,
  listReplays,
  cancelReplay,
  createTracking,
  getTrackings,
  batchTrackings,
  trackAsync,
  batchStream,
  startImport,
  listImports,
  getImport,
  cancelImport,
  rejectedRows,
  bulkRetrack,
  bulkStop,
  bulkDelete,
  bulkRedeliver,
  listBulkActions,
  getBulkAction,
  cancelBulkAction,
  shipments,
  shipmentsCsv,
  attention,
  retrackByPath,
  retrackByBody,
  findTrackingEndpoint,
  changeTracking,
  stopTracking,
  removeTracking,
  explainTrackingEndpoint,
  listTrackingEvents,
  renewPageLink,
  revokePageLink,
  listEvents,
  streamEvents,
  detectCarrier,
  detectCourier,
  couriersAll,
  couriersHealth,
  getMe,
  getAccount,
  createKey,
  listKeys,
  revokeKey,
  getStats,
  readPages,
  changePages,
];
