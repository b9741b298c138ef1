import { findCarrier } from '@pts/carriers/registry/registry';
import type { CARRIED_FIELDS, DeliveryStatus } from '@pts/contract/schemas/compat-v4';
import { type Day, dayOf } from '@pts/core/page';
import { toUtcSeconds } from '@pts/core/time';
import type { Scan } from '@pts/core/tracking/scan';
import type { SubStatus } from '@pts/core/tracking/status';
import type { TrackingRecord } from '@pts/db/trackings/records';
import type { ApiDeps } from '../deps.ts';
import { zonesOf } from '../pages/view/zones.ts';

/** How the API family names our states. Its only word for a returning parcel is `exception`. */
const DELIVERY_STATUS: Record<SubStatus, DeliveryStatus> = {
  pending: 'pending',
  info_received: 'inforeceived',
  in_transit: 'transit',
  out_for_delivery: 'pickup',
  available_for_pickup: 'pickup',
  delivered: 'delivered',
  exception: 'exception',
  undeliverable: 'undelivered',
  returned: 'exception',
  expired: 'expired',
};

/** A tracking as a record of version 4 of the API family. What we do not know is null, as there. */
export function viewRecord({ sandbox }: Pick<ApiDeps, 'sandbox'>, tracking: TrackingRecord) {
  const latest = tracking.events.at(-1);
  const carrier = findCarrier(tracking.carrier, { sandbox });
  const { id, tracking_number, courier_code, order_number, created_at, delivery_status } = toCreated(tracking);
  return {
    id,
    tracking_number,
    courier_code,
    order_number,
    title: tracking.title,
    ...carriedFields(tracking.metadata),
    created_at,
    update_at: toUtcSeconds(tracking.updatedAt),
    delivery_status,
    substatus: tracking.subStatus,
    archived: false,
    updating: tracking.nextCheckAt !== null,
    source: 'API',
    destination_country: tracking.destinationCountry,
    tracking_postal_code: tracking.postalCode,
    latest_event: latest ? describe(latest) : null,
    latest_checkpoint_time: latest?.time ?? null,
    scheduled_delivery_date: scheduledDay(tracking),
    status_info: tracking.notice,
    origin_info: {
      courier_code: tracking.carrier,
      courier_phone: carrier?.phone ?? null,
      weblink: carrier?.url ?? null,
      // Newest first, as in the family.
      trackinfo: tracking.events.toReversed().map(toCheckpoint),
    },
    destination_info: null,
  };
}

/** The response of a registration, before the carrier is queried. */
export function toCreated(tracking: TrackingRecord) {
  return {
    id: tracking.id,
    tracking_number: tracking.trackingNumber,
    courier_code: tracking.carrier,
    order_number: tracking.orderId,
    created_at: toUtcSeconds(tracking.createdAt),
    delivery_status: DELIVERY_STATUS[tracking.subStatus],
  };
}

/** What a merchant of the family sent with it; null if it was not sent. */
function carriedFields(metadata: TrackingRecord['metadata']): Record<(typeof CARRIED_FIELDS)[number], string | null> {
  const {
    customer_name = null,
    customer_email = null,
    customer_sms = null,
    note = null,
    language = null,
  } = metadata ?? {};
  return { customer_name, customer_email, customer_sms, note, language };
}

/** The last expected day at the destination. */
function scheduledDay({ annotations, carrier, destinationCountry, events: scans }: TrackingRecord): Day | null {
  const { to } = annotations?.estimate ?? {};
  return to === undefined ? null : dayOf(to, zonesOf({ carrier, destinationCountry, scans }).destination);
}

function toCheckpoint(scan: Scan) {
  return {
    checkpoint_date: scan.time,
    checkpoint_delivery_status: DELIVERY_STATUS[scan.status],
    checkpoint_delivery_substatus: scan.status,
    tracking_detail: scan.description,
    location: scan.location,
  };
}

function describe({ description, location, time }: Scan): string {
  return [description, location, time].filter((part) => part !== '').join(',');
}
