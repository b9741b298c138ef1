import type { JourneyScan } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { isRecord } from '../../track.ts';
import { replyAbout } from '../reply.ts';
import type { Registry, Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const KEY = 'sandbox-key';
const WEBHOOK_SECRET = 'sandbox-webhook-secret';
const ZONE = 'America/Chicago';

/** `statusMilestone` and `statusCode` of each kind of scan. */
const CODES: Readonly<Record<TextName, readonly [milestone: string, code: string | null]>> = {
  label: ['info_received', 'data_order_created'],
  collected: ['in_transit', 'transit_handover'],
  departed: ['in_transit', null],
  departedUnread: ['in_transit', null],
  arrived: ['in_transit', null],
  arrivedInCity: ['in_transit', 'destination_arrival'],
  cleared: ['in_transit', 'customs_cleared'],
  outForDelivery: ['out_for_delivery', 'delivery_out_for_delivery'],
  atLocker: ['available_for_pickup', 'delivery_available_for_pickup'],
  pickedUp: ['delivered', 'delivery_delivered'],
  delivered: ['delivered', 'delivery_delivered'],
  held: ['exception', null],
  refused: ['exception', 'delivery_refused'],
  unreachable: ['failed_attempt', 'delivery_attempted'],
  goingBack: ['exception', 'exception_return'],
  returned: ['exception', 'exception_return'],
};

/** Ship24: a key as Bearer, one number a call, which needs a tracker first; a callback is one event. */
export const ship24: Wire = {
  name: 'ship24',
  limit: { calls: 10, seconds: 1 },
  isKnown: ({ headers }) => headers.authorization === `Bearer ${KEY}`,
  refused: error(401, 'auth_invalid_key', 'The API key is invalid.'),
  tooMany: error(429, 'rate_limit', 'Too many requests.'),
  routes: [
    {
      method: 'post',
      path: '/trackers',
      body: 'json',
      run: ({ body }, _ask, registry) => {
        const number = isRecord(body) ? body.trackingNumber : undefined;
        if (typeof number !== 'string') return error(400, 'validation_error', 'trackingNumber is missing.');
        const isNew = registry.add(number);
        return { status: isNew ? 201 : 200, json: { data: { tracker: trackerIn(registry, number) } } };
      },
    },
    {
      method: 'patch',
      path: '/trackers/:id',
      body: 'json',
      run: ({ params, body }, _ask, registry) => {
        const number = registry.numberOf(String(params.id));
        if (number === undefined) return error(404, 'tracker_not_found', 'Tracker not found.');
        const isSubscribed = isRecord(body) ? body.isSubscribed : undefined;
        if (typeof isSubscribed !== 'boolean') return error(400, 'validation_error', 'isSubscribed must be a boolean.');
        registry.setWatched(number, isSubscribed);
        return { json: { data: { tracker: trackerIn(registry, number) } } };
      },
    },
    {
      method: 'get',
      path: '/trackers/search/:number/results',
      run: async ({ params }, ask, registry) => {
        const number = String(params.number);
        if (registry.carrierOf(number) === null) return error(404, 'tracker_not_found', 'Tracker not found.');
        const id = registry.idOf(number);
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => ({ json: { data: { trackings: [tracking(found.number, id, found.scans)] } } }),
          notFound: { json: { data: { trackings: [tracking(number, id, [])] } } },
          problem: (status, message) =>
            error(status, status === 400 ? 'validation_error' : 'processing_error', message),
        });
      },
    },
  ],
  callback({ number, id, scans }) {
    const { events, ...rest } = tracking(number, id, scans);
    const item = { metadata: { topic: 'tracking/events', messageId: `${id}-${scans.length}` }, ...rest };
    const body = JSON.stringify({ trackings: [{ ...item, events: events.slice(0, 1) }] });
    return { headers: { authorization: `Bearer ${WEBHOOK_SECRET}` }, body };
  },
};

function trackerIn(registry: Registry, number: string) {
  return { ...tracker(number, registry.idOf(number)), isSubscribed: registry.isWatched(number) };
}

function tracker(trackingNumber: string, trackerId: string) {
  return { trackerId, trackingNumber, isSubscribed: true, isTracked: true };
}

function tracking(number: string, id: string, scans: readonly JourneyScan[]) {
  const events = scans.map((scan, i) => toEvent(scan, number, i + 1)).toReversed();
  const { statusCode = null, statusMilestone = 'pending' } = events[0] ?? {};
  const shipment = { shipmentId: id, statusCode, statusMilestone, delivery: {}, trackingNumbers: [{ tn: number }] };
  return { tracker: tracker(number, id), shipment, events };
}

function toEvent({ time, text, description, place }: JourneyScan, number: string, order: number) {
  const { date, time: clock, offset } = inZone(time, ZONE);
  const [statusMilestone, statusCode] = CODES[text];
  return {
    eventId: `${number}-${order}`,
    trackingNumber: number,
    status: description,
    order,
    location: place.name,
    occurrenceDatetime: `${date}T${clock}`,
    utcOffset: offset,
    courierCode: null,
    statusCode,
    statusMilestone,
  };
}

function error(status: number, code: string, message: string): Reply {
  return { status, json: { errors: [{ code, message }], data: null } };
}
