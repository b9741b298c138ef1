import { createHmac } from 'node:crypto';
import type { JourneyScan, Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { isRecord } from '../../track.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { RegisteredNumber, Registry, Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const KEY = 'sandbox-key';
const WEBHOOK_SECRET = 'sandbox-webhook-secret';
const ZONE = 'America/Chicago';
const MAX_NUMBERS = 40;

/** `checkpoint_delivery_substatus` of each kind of scan; its letters are the status. */
const CODES: Readonly<Record<TextName, string>> = {
  label: 'inforeceived001',
  collected: 'transit006',
  departed: 'transit001',
  departedUnread: 'transit001',
  arrived: 'transit002',
  arrivedInCity: 'transit003',
  cleared: 'transit005',
  outForDelivery: 'pickup001',
  atLocker: 'pickup002',
  pickedUp: 'delivered002',
  delivered: 'delivered001',
  held: 'exception005',
  refused: 'exception009',
  unreachable: 'undelivered002',
  goingBack: 'exception011',
  returned: 'exception010',
};

/** TrackingMore v4: a key in a header, up to 40 numbers a call, registered before they are read; local times without a zone. */
export const trackingMore: Wire = {
  name: 'trackingmore',
  limit: { calls: 10, seconds: 1 },
  isKnown: ({ headers }) => headers['tracking-api-key'] === KEY,
  refused: refusal(401, 401, 'Authentication failed.'),
  tooMany: refusal(429, 429, 'Exceeded API request limits.'),
  routes: [
    {
      method: 'post',
      path: '/trackings/batch',
      body: 'json',
      run: ({ body }, _ask, registry) => {
        const items = Array.isArray(body) ? body.filter(isRecord) : [];
        if (items.length === 0 || items.length > MAX_NUMBERS) return refusal(400, 4103, '1 to 40 numbers a call.');
        const made = items.map(({ tracking_number: number, courier_code: courier }) => ({
          tracking_number: String(number),
          courier_code: String(courier),
          id: registry.idOf(String(number)),
          isNew: registry.add(String(number), String(courier)),
        }));
        const success = made.filter(({ isNew }) => isNew);
        const error = made
          .filter(({ isNew }) => !isNew)
          .map((each) => ({ ...each, errorCode: 4101, errorMessage: 'Tracking already exists.' }));
        return answer({ success, error });
      },
    },
    {
      method: 'delete',
      path: '/trackings/delete/:id',
      run: ({ params }, _ask, registry) => {
        const number = registry.numberOf(String(params.id));
        if (number === undefined) return refusal(400, 4102, 'Tracking No. does not exist.');
        registry.remove(number);
        return answer({ id: params.id, tracking_number: number });
      },
    },
    {
      method: 'get',
      path: '/trackings/get',
      run: async ({ query }, ask, registry) => {
        const numbers = String(query.tracking_numbers ?? '').split(',');
        const known = numbers.filter((number) => registry.carrierOf(number) !== null);
        if (known.length === 0) return refusal(400, 4102, 'Tracking No. does not exist.');
        const says = await ask(
          known.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) {
          return replyToRefusal(failure, (status, message) => refusal(status, status === 429 ? 429 : 511, message));
        }
        return answer(known.map((number, i) => item(number, says[i], registry)));
      },
    },
  ],
  callback(registered) {
    const body = JSON.stringify({ event: 'TRACKING_UPDATED', data: tracking(registered) });
    return { headers: { signature: createHmac('sha256', WEBHOOK_SECRET).update(body).digest('base64') }, body };
  },
};

function item(number: string, says: Says | undefined, registry: Registry) {
  const registered = { number, carrier: registry.carrierOf(number) ?? '', id: registry.idOf(number), scans: [] };
  if (says?.kind !== 'found') return tracking(registered);
  return tracking({ ...registered, number: says.otherNumber ?? number, scans: says.scans });
}

function tracking({ number, carrier, id, scans }: RegisteredNumber) {
  const trackinfo = scans.map(toCheckpoint).toReversed();
  return {
    id,
    tracking_number: number,
    courier_code: carrier,
    delivery_status: trackinfo[0]?.checkpoint_delivery_status ?? 'pending',
    substatus: trackinfo[0]?.checkpoint_delivery_substatus ?? '',
    origin_info: { courier_code: carrier, trackinfo },
    destination_info: { courier_code: null, trackinfo: [] },
  };
}

function toCheckpoint({ time, text, description, place }: JourneyScan) {
  const { date, time: clock } = inZone(time, ZONE);
  return {
    checkpoint_date: `${date}T${clock}`,
    tracking_detail: description,
    location: place.name,
    country_iso2: 'US',
    state: 'IL',
    city: place.name,
    checkpoint_delivery_status: CODES[text].replace(/\d{1,9}$/, ''),
    checkpoint_delivery_substatus: CODES[text],
  };
}

function answer(data: unknown): Reply {
  return { json: { meta: { code: 200, type: 'Success', message: 'Success' }, data } };
}

function refusal(status: number, code: number, message: string): Reply {
  return { status, json: { meta: { code, type: 'BadRequest', message }, data: [] } };
}
