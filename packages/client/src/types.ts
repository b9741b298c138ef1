import type {
  accountChange,
  accountResponse,
  createdKey,
  createKeyRequest,
  keysResponse,
  meResponse,
  revokedKey,
} from '@pts/contract/account';
import type { asyncResponse, batchResponse, StreamLine as ContractLine, dryRunBatch } from '@pts/contract/batch';
import type { bulkAction, bulkActionsResponse, bulkRedeliverRequest, bulkRequest } from '@pts/contract/bulk-actions';
import type { trackingEvent } from '@pts/contract/common';
import type { couriersHealthResponse, couriersResponse, detectResponse } from '@pts/contract/couriers';
import type {
  deliveriesResponse,
  deliveryResponse,
  dryRunReplay,
  redeliverResponse,
  replay,
  replayRequest,
  replaysResponse,
} from '@pts/contract/deliveries';
import type { eventsResponse, trackingEventsResponse } from '@pts/contract/events';
import type { explainResponse } from '@pts/contract/explain';
import type { importRequest, importsResponse, importView } from '@pts/contract/imports';
import type { auditResponse, memberInput, membersResponse } from '@pts/contract/members';
import type { noticesResponse } from '@pts/contract/notices';
import type { orderPage, pageLink, pageSettings, pageSettingsChange } from '@pts/contract/pages';
import type { anyPush } from '@pts/contract/pushes';
import type { Infer } from '@pts/contract/schema';
import type { attentionResponse, shipmentsQuery, shipmentsResponse } from '@pts/contract/shipments';
import type { statsQuery, statsResponse } from '@pts/contract/stats';
import type {
  changeRequest,
  createdTracking,
  createRequest,
  dryRunTracking,
  getResponse,
  restoreRequest,
  restoreResponse,
  retrackResponse,
  tracking,
} from '@pts/contract/trackings';
import type {
  checkWebhookResponse,
  deletedResponse,
  dryRunTest,
  patchRequest,
  patchResponse,
  registerRequest,
  registerResponse,
  testRequest,
  testResponse,
  webhook,
  webhooksResponse,
} from '@pts/contract/webhooks';

/** A number with optional fields. */
export type NewTracking = Infer<typeof createRequest>;
export type CreatedTracking = Infer<typeof createdTracking>;
export type TrackingEvent = Infer<typeof trackingEvent>;
export type Tracking = Infer<typeof tracking>;
export type Status = Tracking['status'];
export type SubStatus = Tracking['sub_status'];
export type FoundTrackings = Infer<typeof getResponse>;
export type BatchResult = Infer<typeof batchResponse>;
export type DryRunBatch = Infer<typeof dryRunBatch>;
/** The result that registering a number would have. */
export type WouldRegister = DryRunBatch['success'][number];
/** A number of a bulk call that was refused, and why. */
export type ItemError = DryRunBatch['error'][number];
export type AsyncResult = Infer<typeof asyncResponse>;
export type Retracked = Infer<typeof retrackResponse>;
export type ShipmentPage = Infer<typeof shipmentsResponse>;
export type Shipment = ShipmentPage['shipments'][number];
type ShipmentQuery = Infer<typeof shipmentsQuery>;
export type ShipmentSort = NonNullable<ShipmentQuery['sort']>;
export type AttentionReason = NonNullable<Shipment['attention']>['reason'];
/** A summary of what needs attention: the account itself, and how many shipments for each reason. */
export type AttentionSummary = Infer<typeof attentionResponse>;

export type Detection = Infer<typeof detectResponse>;
export type CouriersHealth = Infer<typeof couriersHealthResponse>;
export type Couriers = Infer<typeof couriersResponse>;

export type NewWebhook = Infer<typeof registerRequest>;
export type WebhookChange = Omit<Infer<typeof patchRequest>, 'id'>;
export type ChangedWebhook = Infer<typeof patchResponse>;
export type RegisteredWebhook = Infer<typeof registerResponse>;
export type RotatedWebhook = RegisteredWebhook;
export type Webhook = Infer<typeof webhook>;
export type Webhooks = Infer<typeof webhooksResponse>;
export type WebhookToTest = Infer<typeof testRequest>;
export type WebhookTest = Infer<typeof testResponse>;
export type DryRunTest = Infer<typeof dryRunTest>;
export type Deliveries = Infer<typeof deliveriesResponse>;
/** One attempt to deliver a push. */
export type Delivery = Deliveries['items'][number];
export type Deleted = Infer<typeof deletedResponse>;
export type TrackingsToRestore = Infer<typeof restoreRequest>;
export type RestoredTrackings = Infer<typeof restoreResponse>;

export type Account = Infer<typeof accountResponse>;
export type AccountChange = Infer<typeof accountChange>;
/** A group of optional fields. */
export type Include = NonNullable<Account['include']>[number];
export type Me = Infer<typeof meResponse>;
export type MemberList = Infer<typeof membersResponse>;
export type Member = MemberList['members'][number];
export type MemberInput = Infer<typeof memberInput>;
export type AuditList = Infer<typeof auditResponse>;
/** Notices about the account, newest first; `kind` tells them apart. */
export type Notices = Infer<typeof noticesResponse>;
export type Notice = Notices['notices'][number];
/** A range, and the length of its intervals. */
export type StatsRange = Infer<typeof statsQuery>;
export type Stats = Infer<typeof statsResponse>;

/** The columns of a file, and its name. */
export type ImportOptions = Infer<typeof importRequest>;
export type Import = Infer<typeof importView>;
export type Imports = Infer<typeof importsResponse>;

export type BulkShipmentFilter = NonNullable<Infer<typeof bulkRequest>['filter']>;
export type BulkDeliveryFilter = NonNullable<Infer<typeof bulkRedeliverRequest>['filter']>;
export type BulkAction = Infer<typeof bulkAction>;
export type BulkActions = Infer<typeof bulkActionsResponse>;
/** How many a bulk action would be for. */

export type NewApiKey = Infer<typeof createKeyRequest>;
export type CreatedApiKey = Infer<typeof createdKey>;
export type ApiKeys = Infer<typeof keysResponse>;
export type RevokedApiKey = Infer<typeof revokedKey>;
/** How the tracking pages for buyers look. */
export type PageSettings = Infer<typeof pageSettings>;
/** Null clears; `logo` is a PNG image in base64. */
export type PageSettingsChange = Infer<typeof pageSettingsChange>;
export type PageLink = Infer<typeof pageLink>;
export type OrderPageLink = Infer<typeof orderPage>;

/** The fields of a tracking that can be changed; null clears. */
export type TrackingChange = Omit<Infer<typeof changeRequest>, 'id'>;
/** The result of a dry run. */
export type DryRun = Infer<typeof dryRunTracking>;
/** The explanation of a tracking's state: past checks, their results, the next check. */
export type Explanation = Infer<typeof explainResponse>;
/** The events of a tracking and their pushes. */
export type TrackingEvents = Infer<typeof trackingEventsResponse>;

/** The body of a push; `event` tells the kinds apart. */
export type Push = Infer<typeof anyPush>;

/** Events as they were emitted, oldest first. */
export type EventPage = Infer<typeof eventsResponse>;
export type EmittedEvent = EventPage['events'][number];
/** An event of the stream, and the cursor after it: store it to continue there. */
export type StreamedEvent = EmittedEvent & { cursor: string };

export type Redelivery = Infer<typeof redeliverResponse>;
/** An attempt: what was sent, what came back, and how long it took. */
export type DeliveryDetails = Infer<typeof deliveryResponse>;
export type ReplayRange = Omit<Infer<typeof replayRequest>, 'id' | 'dry_run'>;
export type Replay = Infer<typeof replay>;
export type DryRunReplay = Infer<typeof dryRunReplay>;
export type Replays = Infer<typeof replaysResponse>;
export type WebhookCheck = Infer<typeof checkWebhookResponse>;

/** A number, with or without optional fields. */
export type StreamInput = string | NewTracking;
/** A line of a stream; its other fields depend on its type. */
export type StreamLine = ContractLine;
