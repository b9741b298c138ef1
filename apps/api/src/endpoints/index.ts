import { type OpenApiDocument, openApiDocument } from '@pts/contract/openapi/document';
import { described } from '@pts/contract/operation';
import manifest from '../../package.json';
import type { Operation, OperatorOperation, StreamOperation } from '../http/operation.ts';
import { createKey, getAccount, getMe, listKeys, listNotices, revokeKey, updateAccount } from './account.ts';
import { batchStream, batchTrackings, trackAsync } from './batch.ts';
import {
  bulkDelete,
  bulkRedeliver,
  bulkRetrack,
  bulkStop,
  cancelBulkAction,
  getBulkAction,
  listBulkActions,
} from './bulk-actions.ts';
import { couriersAll, couriersHealth, detectCarrier, detectCourier } from './couriers.ts';
import { cancelReplay, explainDelivery, listDeliveries, listReplays, redeliver, startReplay } from './deliveries.ts';
import { listEvents, listTrackingEvents, streamEvents } from './events.ts';
import { explainTrackingEndpoint } from './explain.ts';
import { cancelImport, getImport, listImports, rejectedRows, startImport } from './imports.ts';
import { addMember, listAudit, listMembers, removeMember, updateMember } from './members.ts';
import {
  changeAccount,
  correctQuota,
  createAccount,
  createAccountKey,
  deleteAccount,
  disableAccount,
  enableAccount,
  listAccountKeys,
  listAccounts,
  readAccount,
  resetAccountKeys,
  revokeAccountKey,
} from './operator.ts';
import { changePages, readOrderPage, readPages, renewPageLink, revokePageLink } from './pages.ts';
import { attention, shipments, shipmentsCsv } from './shipments.ts';
import { getStats } from './stats.ts';
import {
  changeTracking,
  createTracking,
  findTrackingEndpoint,
  getTrackings,
  removeTracking,
  restoreRemoved,
  retrackByBody,
  retrackByPath,
  stopTracking,
} from './trackings.ts';
import {
  checkWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  registerWebhook,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
} from './webhooks.ts';

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
  restoreRemoved,
  explainTrackingEndpoint,
  listTrackingEvents,
  readOrderPage,
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
  updateAccount,
  listNotices,
  createKey,
  listKeys,
  revokeKey,
  listMembers,
  addMember,
  updateMember,
  removeMember,
  listAudit,
  getStats,
  readPages,
  changePages,
];

/** The operations for operators' keys, which not every installation has. */
export const operatorOperations: readonly OperatorOperation[] = [
  listAccounts,
  createAccount,
  readAccount,
  changeAccount,
  disableAccount,
  enableAccount,
  correctQuota,
  deleteAccount,
  listAccountKeys,
  createAccountKey,
  resetAccountKeys,
  revokeAccountKey,
];

/** The version of the API in its document. */
const VERSION = manifest.version;

/** The document of this API. */
export function apiDocument(baseUrl?: string): OpenApiDocument {
  return openApiDocument([...operations, ...operatorOperations].map(described), { version: VERSION, baseUrl });
}
