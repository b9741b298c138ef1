import type * as account from '@pts/contract/account';
import type * as batch from '@pts/contract/batch';
import type * as bulkActions from '@pts/contract/bulk-actions';
import type { trackingEvent } from '@pts/contract/common';
import type * as couriers from '@pts/contract/couriers';
import type * as deliveries from '@pts/contract/deliveries';
import type * as events from '@pts/contract/events';
import type { explainTracking } from '@pts/contract/explain';
import type * as imports from '@pts/contract/imports';
import type * as members from '@pts/contract/members';
import type { listNotices } from '@pts/contract/notices';
import type * as pages from '@pts/contract/pages';
import type { anyPush } from '@pts/contract/pushes';
import type { Infer } from '@pts/contract/schema';
import type * as shipments from '@pts/contract/shipments';
import type { getStats } from '@pts/contract/stats';
import type * as trackings from '@pts/contract/trackings';
import type * as webhooks from '@pts/contract/webhooks';

type Request<O extends { request: object }> = Infer<O['request']>;
type Answer<O extends { response: object }> = Infer<O['response']>;

/** A number with optional fields. */
export type NewTracking = Infer<typeof trackings.createRequest>;
export type CreatedTracking = Infer<typeof trackings.createdTracking>;
export type TrackingEvent = Infer<typeof trackingEvent>;
export type Tracking = Answer<typeof trackings.getTracking>;
export type Status = Tracking['status'];
export type SubStatus = Tracking['sub_status'];
export type FoundTrackings = Answer<typeof trackings.getTrackings>;
export type BatchResult = Infer<typeof batch.batchResponse>;
export type DryRunBatch = Infer<typeof batch.dryRunBatch>;
/** The result that registering a number would have. */
export type WouldRegister = DryRunBatch['success'][number];
/** A number of a bulk call that was refused, and why. */
export type ItemError = DryRunBatch['error'][number];
export type AsyncResult = Answer<typeof batch.submitTrackings>;
export type Retracked = Answer<typeof trackings.retrackTracking>;
export type ShipmentPage = Answer<typeof shipments.listShipments>;
export type Shipment = ShipmentPage['shipments'][number];
type ShipmentQuery = Request<typeof shipments.listShipments>;
export type ShipmentSort = NonNullable<ShipmentQuery['sort']>;
export type AttentionReason = NonNullable<Shipment['attention']>['reason'];
/** A summary of what needs attention: the account itself, and how many shipments for each reason. */
export type AttentionSummary = Answer<typeof shipments.getAttention>;

export type Detection = Answer<typeof couriers.detectCarrier>;
export type CouriersHealth = Answer<typeof couriers.getCouriersHealth>;
export type Couriers = Answer<typeof couriers.listCouriers>;

export type NewWebhook = Request<typeof webhooks.registerWebhook>;
export type WebhookChange = Omit<Request<typeof webhooks.updateWebhook>, 'id'>;
export type ChangedWebhook = Answer<typeof webhooks.updateWebhook>;
export type RegisteredWebhook = Answer<typeof webhooks.registerWebhook>;
export type RotatedWebhook = RegisteredWebhook;
export type Webhook = Answer<typeof webhooks.getWebhook>;
export type Webhooks = Answer<typeof webhooks.listWebhooks>;
export type WebhookToTest = Request<typeof webhooks.testWebhook>;
export type WebhookTest = Infer<typeof webhooks.testResponse>;
export type DryRunTest = Infer<typeof webhooks.dryRunTest>;
export type Deliveries = Answer<typeof deliveries.listDeliveries>;
/** One attempt to deliver a push. */
export type Delivery = Deliveries['items'][number];
export type Deleted = Answer<typeof webhooks.deleteWebhook>;
export type TrackingsToRestore = Request<typeof trackings.restoreTrackings>;
export type RestoredTrackings = Answer<typeof trackings.restoreTrackings>;

export type Account = Answer<typeof account.getAccount>;
export type AccountChange = Request<typeof account.updateAccount>;
/** A group of optional fields. */
export type Include = NonNullable<Account['include']>[number];
export type Me = Answer<typeof account.getMe>;
export type MemberList = Answer<typeof members.listMembers>;
export type Member = MemberList['members'][number];
export type MemberInput = Request<typeof members.addMember>;
export type AuditList = Answer<typeof members.listAudit>;
/** Notices about the account, newest first; `kind` tells them apart. */
export type Notices = Answer<typeof listNotices>;
export type Notice = Notices['notices'][number];
/** A range, and the length of its intervals. */
export type StatsRange = Request<typeof getStats>;
export type Stats = Answer<typeof getStats>;

/** The columns of a file, and its name. */
export type ImportOptions = Request<typeof imports.startImport>;
export type Import = Answer<typeof imports.getImport>;
export type Imports = Answer<typeof imports.listImports>;

export type BulkShipmentFilter = NonNullable<Request<typeof bulkActions.bulkRetrack>['filter']>;
export type BulkDeliveryFilter = NonNullable<Request<typeof bulkActions.bulkRedeliver>['filter']>;
export type BulkAction = Answer<typeof bulkActions.getBulkAction>;
export type BulkActions = Answer<typeof bulkActions.listBulkActions>;
/** How many a bulk action would be for. */

export type NewApiKey = Request<typeof account.createKey>;
export type CreatedApiKey = Answer<typeof account.createKey>;
export type ApiKeys = Answer<typeof account.listKeys>;
export type RevokedApiKey = Answer<typeof account.revokeKey>;
/** How the tracking pages for buyers look. */
export type PageSettings = Answer<typeof pages.getPages>;
/** Null clears; `logo` is a PNG image in base64. */
export type PageSettingsChange = Request<typeof pages.updatePages>;
export type PageLink = Answer<typeof pages.renewPage>;
export type OrderPageLink = Answer<typeof pages.getOrderPage>;

/** The fields of a tracking that can be changed; null clears. */
export type TrackingChange = Omit<Request<typeof trackings.updateTracking>, 'id'>;
/** The result of a dry run. */
export type DryRun = Infer<typeof trackings.dryRunTracking>;
/** The explanation of a tracking's state: past checks, their results, the next check. */
export type Explanation = Answer<typeof explainTracking>;
/** The events of a tracking and their pushes. */
export type TrackingEvents = Answer<typeof events.listTrackingEvents>;

/** The body of a push; `event` tells the kinds apart. */
export type Push = Infer<typeof anyPush>;

/** Events as they were emitted, oldest first. */
export type EventPage = Answer<typeof events.listEvents>;
export type EmittedEvent = EventPage['events'][number];
/** An event of the stream, and the cursor after it: store it to continue there. */
export type StreamedEvent = EmittedEvent & { cursor: string };

export type Redelivery = Answer<typeof deliveries.redeliver>;
/** An attempt: what was sent, what came back, and how long it took. */
export type DeliveryDetails = Answer<typeof deliveries.explainDelivery>;
export type ReplayRange = Omit<Request<typeof deliveries.startReplay>, 'id' | 'dry_run'>;
export type Replay = Answer<typeof deliveries.cancelReplay>;
export type DryRunReplay = Infer<typeof deliveries.dryRunReplay>;
export type Replays = Answer<typeof deliveries.listReplays>;
export type WebhookCheck = Answer<typeof webhooks.checkWebhook>;

/** A number, with or without optional fields. */
export type StreamInput = string | NewTracking;
/** A line of a stream; its other fields depend on its type. */
export type StreamLine = batch.StreamLine;
