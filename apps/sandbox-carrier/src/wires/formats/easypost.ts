import { createHmac } from 'node:crypto';
import type { JourneyScan } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { isRecord } from '../../track.ts';
import { basic } from '../oauth.ts';
import { replyAbout } from '../reply.ts';
import type { RegisteredNumber, Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const KEY = 'sandbox-key';
const WEBHOOK_SECRET = 'sandbox-webhook-secret';
const ZONE = 'America/Chicago';

/** `status` and `status_detail` of each kind of scan. */
const CODES: Readonly<Record<TextName, readonly [status: string, detail: string]>> = {
  label: ['pre_transit', 'label_created'],
  collected: ['in_transit', 'received_at_origin_facility'],
  departed: ['in_transit', 'departed_facility'],
  departedUnread: ['in_transit', 'departed_facility'],
  arrived: ['in_transit', 'arrived_at_facility'],
  arrivedInCity: ['in_transit', 'arrived_at_destination'],
  cleared: ['in_transit', 'in_transit'],
  outForDelivery: ['out_for_delivery', 'out_for_delivery'],
  atLocker: ['available_for_pickup', 'arrived_at_pickup_location'],
  pickedUp: ['delivered', 'arrived_at_destination'],
  delivered: ['delivered', 'arrived_at_destination'],
  held: ['failure', 'delivery_exception'],
  refused: ['failure', 'refused'],
  unreachable: ['failure', 'held'],
  goingBack: ['return_to_sender', 'return'],
  returned: ['return_to_sender', 'return'],
};

const PROBLEMS = { 400: 'TRACKER.INVALID', 429: 'RATE_LIMITED', 500: 'INTERNAL_SERVER_ERROR' };

/** EasyPost: HTTP Basic with the key, one number a call, which needs a tracker first; `datetime` has a false Z. */
export const easyPost: Wire = {
  name: 'easypost',
  limit: { calls: 5, seconds: 1 },
  isKnown: ({ headers }) => headers.authorization === basic(KEY, ''),
  refused: error(401, 'UNAUTHORIZED', 'The key is wrong.'),
  tooMany: error(429, 'RATE_LIMITED', 'Too many requests.'),
  routes: [
    {
      method: 'post',
      path: '/trackers',
      body: 'json',
      run: ({ body }, _ask, registry) => {
        const wanted = isRecord(body) && isRecord(body.tracker) ? body.tracker : {};
        const number = wanted.tracking_code;
        if (typeof number !== 'string') return error(422, 'TRACKER.CREATE.ERROR', 'tracking_code is missing.');
        registry.add(number, String(wanted.carrier ?? ''));
        const carrier = registry.carrierOf(number) ?? '';
        return { status: 201, json: tracker({ number, carrier, id: registry.idOf(number), scans: [] }) };
      },
    },
    {
      method: 'get',
      path: '/trackers',
      run: async ({ query }, ask, registry) => {
        const number = String(query.tracking_codes ?? '');
        const carrier = registry.carrierOf(number);
        if (carrier === null) return list([]);
        const registered = { number, carrier, id: registry.idOf(number), scans: [] };
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => list([tracker({ ...registered, ...found })]),
          notFound: list([tracker(registered)]),
          problem: (status, message) => error(status, PROBLEMS[status], message),
        });
      },
    },
  ],
  callback(registered) {
    const event = { object: 'Event', id: `evt_${registered.id}`, description: 'tracker.updated', status: 'pending' };
    const body = JSON.stringify({ ...event, result: tracker(registered) });
    const sign = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
    return { headers: { 'x-hmac-signature': `hmac-sha256-hex=${sign}` }, body };
  },
};

function list(trackers: readonly object[]): Reply {
  return { json: { trackers, has_more: false } };
}

function tracker({ number, carrier, id, scans }: RegisteredNumber) {
  const tracking_details = scans.map(toDetail);
  const { status = 'unknown', status_detail = 'unknown' } = tracking_details.at(-1) ?? {};
  const object = 'Tracker';
  return { id: `trk_${id}`, object, tracking_code: number, status, status_detail, carrier, tracking_details };
}

function toDetail({ time, text, description, place }: JourneyScan) {
  const { date, time: clock, offset } = inZone(time, ZONE);
  const [status, status_detail] = CODES[text];
  return {
    object: 'TrackingDetail',
    message: description,
    status,
    status_detail,
    source: 'Sandbox',
    datetime: `${date}T${clock}Z`,
    datetime_local: `${date}T${clock}${offset}`,
    tracking_location: { object: 'TrackingLocation', city: place.name, state: 'IL', country: 'US', zip: null },
  };
}

function error(status: number, code: string, message: string): Reply {
  return { status, json: { error: { code, message } } };
}
