import { isUnderWay } from '../estimates.ts';
import { timeOfId } from '../id.ts';
import { type Day, dayOf } from '../page.ts';
import { toUtcSeconds } from '../time.ts';
import type { TrackingEvent } from '../tracking/scan.ts';
import type { SubStatus } from '../tracking/status.ts';
import { readTrackingBody } from './push.ts';

/** How version 4 of the API family names our states. Its only word for a returning parcel is `exception`. */
export const FAMILY_STATUS = {
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
} as const satisfies Record<SubStatus, string>;

/** Fields that merchants of the family send and expect back; stored in the metadata of the tracking. */
export const CARRIED_FIELDS = ['customer_name', 'customer_email', 'customer_sms', 'note', 'language'] as const;

type Metadata = Readonly<Record<string, string>>;
type Parcel = {
  id: string;
  trackingNumber: string;
  carrier: string;
  subStatus: SubStatus;
  orderId: string | null;
  title: string | null;
  metadata: Metadata | null;
  createdAt: Date;
  updatedAt: Date;
  isUpdating: boolean;
  destinationCountry: string | null;
  postalCode: string | null;
  notice: string | null;
  scheduledDay: Day | null;
  events: readonly TrackingEvent[];
};

/** How a carrier is reached; null: it is not known. */
export type CourierContact = { phone: string | null; url: string | null };

/** The response of a registration, before the carrier is queried. */
export function familyCreated(
  parcel: Pick<Parcel, 'id' | 'trackingNumber' | 'carrier' | 'orderId' | 'createdAt' | 'subStatus'>,
) {
  return {
    id: parcel.id,
    tracking_number: parcel.trackingNumber,
    courier_code: parcel.carrier,
    order_number: parcel.orderId,
    created_at: toUtcSeconds(parcel.createdAt),
    delivery_status: FAMILY_STATUS[parcel.subStatus],
  };
}

/**
 * A tracking as a record of version 4 of the API family, in answers and in pushes. What is not known is null, as there.
 */
export function familyRecord(parcel: Parcel, courier: CourierContact | null) {
  const latest = parcel.events.at(-1);
  const { delivery_status, created_at, ...created } = familyCreated(parcel);
  return {
    ...created,
    title: parcel.title,
    ...carriedFields(parcel.metadata),
    created_at,
    update_at: toUtcSeconds(parcel.updatedAt),
    delivery_status,
    substatus: parcel.subStatus,
    archived: false,
    updating: parcel.isUpdating,
    source: 'API',
    destination_country: parcel.destinationCountry,
    tracking_postal_code: parcel.postalCode,
    latest_event: latest ? describe(latest) : null,
    latest_checkpoint_time: latest?.time ?? null,
    scheduled_delivery_date: parcel.scheduledDay,
    status_info: parcel.notice,
    origin_info: {
      courier_code: parcel.carrier,
      courier_phone: courier?.phone ?? null,
      weblink: courier?.url ?? null,
      // Newest first, as in the family.
      trackinfo: parcel.events.toReversed().map(toCheckpoint),
    },
    destination_info: null,
  };
}

/** The fields that a merchant of the family sent with a tracking; null for each that was not sent. */
function carriedFields(metadata: Metadata | null): Record<(typeof CARRIED_FIELDS)[number], string | null> {
  const {
    customer_name = null,
    customer_email = null,
    customer_sms = null,
    note = null,
    language = null,
  } = metadata ?? {};
  return { customer_name, customer_email, customer_sms, note, language };
}

function toCheckpoint({ time, status, description, location }: TrackingEvent) {
  return {
    checkpoint_date: time,
    checkpoint_delivery_status: FAMILY_STATUS[status as SubStatus],
    checkpoint_delivery_substatus: status,
    tracking_detail: description,
    location,
  };
}

function describe({ description, location, time }: TrackingEvent): string {
  return [description, location, time].filter((part) => part !== '').join(',');
}

/** The facts in a push of the family's form that its event lacks: about the carrier and the destination's zone. */
export type FamilyFacts = {
  courierOf(carrier: string): CourierContact | null;
  zoneOf(parcel: { carrier: string; events: readonly TrackingEvent[] }): string;
};

/** The message in the `meta` of a push. */
const SUCCESS = { code: 200, type: 'Success', message: 'Success' };

/**
 * The body of a push in the form of version 4 of the API family: the record in its envelope, from the stored body of an
 * event, so that every attempt and replay has the same bytes. Events without a parcel have no such form.
 */
export function familyBody(body: string, facts?: FamilyFacts): string {
  const { created_at, data } = readTrackingBody(body);
  if (data.tracking_number === undefined) return body;
  const { carrier, events, estimated_delivery: estimate } = data;
  const subStatus = data.sub_status;
  const record = familyRecord(
    {
      id: data.id,
      trackingNumber: data.tracking_number,
      carrier,
      subStatus,
      orderId: data.order_id ?? null,
      title: data.title ?? null,
      metadata: data.metadata ?? null,
      createdAt: new Date(timeOfId(data.id)),
      updatedAt: new Date(created_at),
      isUpdating: isUnderWay(subStatus),
      destinationCountry: null,
      postalCode: null,
      notice: null,
      scheduledDay: estimate && facts ? dayOf(estimate.to, facts.zoneOf({ carrier, events })) : null,
      events,
    },
    facts?.courierOf(carrier) ?? null,
  );
  return JSON.stringify({ meta: SUCCESS, data: record });
}
