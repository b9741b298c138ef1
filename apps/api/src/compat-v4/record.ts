import type { Carrier } from '@pts/carriers/registry';
import { toUtcSeconds } from '@pts/core/time';
import type { Scan } from '@pts/core/tracking/scan';
import type { SubStatus } from '@pts/core/tracking/status';
import type { TrackingRecord } from '@pts/db/trackings/records';

/** How the API family names our states. It has no word for a parcel that goes back but `exception`. */
const DELIVERY_STATUS: Record<SubStatus, string> = {
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

/** Fields that merchants of the family send along and expect back; kept among the tracking's metadata. */
export const CARRIED_FIELDS = ['customer_name', 'customer_email', 'customer_sms', 'note', 'language'] as const;

/** A tracking as a record of version 4 of the API family. What we do not know is null, as there. */
export function toRecord(tracking: TrackingRecord, carrier: Carrier | undefined) {
  const latest = tracking.events.at(-1);
  const carried = Object.fromEntries(CARRIED_FIELDS.map((name) => [name, tracking.metadata?.[name] ?? null]));
  return {
    id: tracking.id,
    tracking_number: tracking.trackingNumber,
    courier_code: tracking.carrier,
    order_number: tracking.orderId,
    title: tracking.title,
    ...carried,
    created_at: toUtcSeconds(tracking.createdAt),
    update_at: toUtcSeconds(tracking.updatedAt),
    delivery_status: DELIVERY_STATUS[tracking.subStatus],
    substatus: tracking.subStatus,
    archived: false,
    updating: tracking.nextCheckAt !== null,
    source: 'API',
    destination_country: tracking.destinationCountry,
    tracking_postal_code: tracking.postalCode,
    latest_event: latest ? describe(latest) : null,
    latest_checkpoint_time: latest?.time ?? null,
    status_info: tracking.notice,
    origin_info: {
      courier_code: tracking.carrier,
      courier_phone: carrier?.phone ?? null,
      weblink: carrier?.url ?? null,
      // Newest first, as the family has it.
      trackinfo: tracking.events.toReversed().map(toCheckpoint),
    },
    destination_info: null,
  };
}

/** What a registration answers before the carrier has been asked. */
export function toCreated(tracking: TrackingRecord) {
  const { id, tracking_number, courier_code, order_number, created_at, delivery_status } = toRecord(
    tracking,
    undefined,
  );
  return { id, tracking_number, courier_code, order_number, created_at, delivery_status };
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
