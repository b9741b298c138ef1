import { type OpenApiDocument, openApiDocument } from '@pts/contract/openapi/document';
import { described } from '@pts/contract/operation';
import manifest from '../../package.json';
import type { Operation, OperatorOperation, StreamOperation } from '../http/operation.ts';
import * as account from './account.ts';
import * as batch from './batch.ts';
import * as bulkActions from './bulk-actions.ts';
import * as couriers from './couriers.ts';
import * as deliveries from './deliveries.ts';
import * as events from './events.ts';
import * as explain from './explain.ts';
import * as imports from './imports.ts';
import * as members from './members.ts';
import * as operator from './operator.ts';
import * as pages from './pages.ts';
import * as shipments from './shipments.ts';
import * as stats from './stats.ts';
import * as trackings from './trackings.ts';
import * as webhooks from './webhooks.ts';

/** Every operation of the API, in the order of spec section 4. */
export const operations: readonly (Operation | StreamOperation)[] = [
  webhooks.registerWebhook,
  webhooks.testWebhook,
  deliveries.listDeliveries,
  deliveries.explainDelivery,
  deliveries.redeliver,
  webhooks.listWebhooks,
  webhooks.getWebhook,
  webhooks.updateWebhook,
  webhooks.deleteWebhook,
  webhooks.rotateWebhookSecret,
  webhooks.checkWebhook,
  deliveries.startReplay,
  deliveries.listReplays,
  deliveries.cancelReplay,
  trackings.createTracking,
  trackings.getTrackings,
  batch.batchTrackings,
  batch.trackAsync,
  batch.batchStream,
  imports.startImport,
  imports.listImports,
  imports.getImport,
  imports.cancelImport,
  imports.rejectedRows,
  bulkActions.bulkRetrack,
  bulkActions.bulkStop,
  bulkActions.bulkDelete,
  bulkActions.bulkRedeliver,
  bulkActions.listBulkActions,
  bulkActions.getBulkAction,
  bulkActions.cancelBulkAction,
  shipments.shipments,
  shipments.shipmentsCsv,
  shipments.attention,
  trackings.retrackByPath,
  trackings.retrackByBody,
  trackings.findTrackingEndpoint,
  trackings.changeTracking,
  trackings.stopTracking,
  trackings.removeTracking,
  trackings.restoreRemoved,
  explain.explainTrackingEndpoint,
  events.listTrackingEvents,
  pages.readOrderPage,
  pages.renewPageLink,
  pages.revokePageLink,
  events.listEvents,
  events.streamEvents,
  couriers.detectCarrier,
  couriers.detectCourier,
  couriers.couriersAll,
  couriers.couriersHealth,
  account.getMe,
  account.getAccount,
  account.updateAccount,
  account.listNotices,
  account.createKey,
  account.listKeys,
  account.revokeKey,
  members.listMembers,
  members.addMember,
  members.updateMember,
  members.removeMember,
  members.listAudit,
  stats.getStats,
  pages.readPages,
  pages.changePages,
];

/** The operations for operators' keys, which not every installation has. */
export const operatorOperations: readonly OperatorOperation[] = [
  operator.listAccounts,
  operator.createAccount,
  operator.readAccount,
  operator.changeAccount,
  operator.disableAccount,
  operator.enableAccount,
  operator.correctQuota,
  operator.deleteAccount,
  operator.listAccountKeys,
  operator.createAccountKey,
  operator.resetAccountKeys,
  operator.revokeAccountKey,
];

/** The document of this API. */
export function apiDocument(baseUrl?: string): OpenApiDocument {
  return openApiDocument([...operations, ...operatorOperations].map(described), { version: manifest.version, baseUrl });
}
