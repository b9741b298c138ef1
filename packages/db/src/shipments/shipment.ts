import type { AttentionReason, Problem } from '@pts/core/attention';
import type { DeliveryEstimate } from '@pts/core/estimates';
import type { TrackingEvent } from '@pts/core/tracking/scan';
import type { Status, SubStatus } from '@pts/core/tracking/status';
import { column, columns, type RowOf } from '../connection.ts';
import type { Tracking } from '../generated/client.ts';

/** A row of a list. */
export const SHIPMENT = columns({
  id: column<Tracking['id']>('t.id'),
  trackingNumber: column<Tracking['trackingNumber']>('t.tracking_number'),
  carrier: column<Tracking['carrier']>('t.carrier'),
  /** The provider that answered, or else that is asked. */
  provider: column<Tracking['provider']>("COALESCE(t.annotations ->> 'provider', t.provider)"),
  /** Whether several carriers are possible, and none has known the number so far. */
  isUndecided: column<boolean>('(t.detected AND t.candidates IS NOT NULL)'),
  status: column<Status>('t.status'),
  subStatus: column<SubStatus>('t.sub_status'),
  latestEvent: column<TrackingEvent | null>('t.latest_event'),
  estimate: column<DeliveryEstimate | null>("t.annotations -> 'estimate'"),
  problem: column<Problem | null>("t.annotations ->> 'problem'"),
  orderId: column<Tracking['orderId']>('t.order_id'),
  title: column<Tracking['title']>('t.title'),
  createdAt: column<Tracking['createdAt']>('t.created_at'),
  updatedAt: column<Tracking['updatedAt']>('t.updated_at'),
  stoppedAt: column<Tracking['stoppedAt']>('t.stopped_at'),
});

export type ShipmentRow = RowOf<typeof SHIPMENT>;

/** Which of an account's parcels. */
export type ShipmentFilter = {
  accountId: string;
  status?: Status | undefined;
  subStatus?: SubStatus | undefined;
  /** Only parcels in one of these states. */
  subStatuses?: readonly SubStatus[] | undefined;
  ids?: readonly string[] | undefined;
  /** Texts of which one is part of the number, the order id or the title (`searchedTexts`). */
  texts?: readonly string[] | undefined;
  carrier?: string | undefined;
  /** Only parcels that need attention at `now`, for one of these reasons. */
  attention?: { reasons: readonly AttentionReason[]; now: Date } | undefined;
  /** Registered in this second or later, and before that one. */
  created?: TimeRange | undefined;
  /** Its last news came at this time or later, and before that one. */
  updated?: TimeRange | undefined;
};

/** From a time, inclusive, until another, exclusive. */
export type TimeRange = { from?: Date | undefined; until?: Date | undefined };

/** By the time of the last news, or by that of the registration, to the second. */
export type ShipmentOrder = { by: 'updated' | 'created'; isAscending: boolean };

/** Where a page ends. The id alone says when a parcel was registered. */
export type ShipmentCursor = { updatedAt: Date; id: string };

export const NEWEST_CHANGE_FIRST: ShipmentOrder = { by: 'updated', isAscending: false };
/** An order in which no parcel moves while pages are read. */
export const NEWEST_REGISTRATION_FIRST: ShipmentOrder = { by: 'created', isAscending: false };
