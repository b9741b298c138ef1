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

/** `subtag` of each kind of scan; its letters are the tag. */
const CODES: Readonly<Record<TextName, string>> = {
  label: 'InfoReceived_001',
  collected: 'InTransit_002',
  departed: 'InTransit_007',
  departedUnread: 'InTransit_007',
  arrived: 'InTransit_003',
  arrivedInCity: 'InTransit_003',
  cleared: 'InTransit_005',
  outForDelivery: 'OutForDelivery_001',
  atLocker: 'AvailableForPickup_001',
  pickedUp: 'Delivered_002',
  delivered: 'Delivered_001',
  held: 'Exception_001',
  refused: 'Exception_003',
  unreachable: 'AttemptFail_001',
  goingBack: 'Exception_010',
  returned: 'Exception_011',
};

/** AfterShip 2025-01: a key in a header, up to 50 numbers a query, one a registration; callbacks are signed. */
export const afterShip: Wire = {
  name: 'aftership',
  limit: { calls: 6, seconds: 1 },
  isKnown: ({ headers }) => headers['as-api-key'] === KEY,
  refused: refusal(401, 401, 'Invalid API key.'),
  tooMany: refusal(429, 429, 'Too many requests.'),
  routes: [
    {
      method: 'post',
      path: '/trackings',
      body: 'json',
      run: ({ body }, _ask, registry) => {
        const { tracking_number: number, slug = '' } = isRecord(body) ? body : {};
        if (typeof number !== 'string') return refusal(400, 4007, 'tracking_number is missing.');
        if (!registry.add(number, String(slug))) return refusal(400, 4003, 'Tracking already exists.');
        return { status: 201, json: { meta: { code: 201 }, data: item(number, undefined, registry) } };
      },
    },
    {
      method: 'delete',
      path: '/trackings/:id',
      run: ({ params }, _ask, registry) => {
        const number = registry.numberOf(String(params.id));
        if (number === undefined) return refusal(404, 4004, 'Tracking does not exist.');
        const data = item(number, undefined, registry);
        registry.remove(number);
        return { json: { meta: { code: 200 }, data } };
      },
    },
    {
      method: 'get',
      path: '/trackings',
      run: async ({ query }, ask, registry) => {
        const numbers = String(query.tracking_numbers ?? '').split(',');
        const known = numbers.filter((number) => registry.carrierOf(number) !== null);
        const says = await ask(
          known.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, (status, message) => refusal(status, status, message));
        const trackings = known.map((number, i) => item(number, says[i], registry));
        return { json: { meta: { code: 200 }, data: { pagination: { total: trackings.length }, trackings } } };
      },
    },
  ],
  callback(registered) {
    const event_id = `${registered.id}-${registered.scans.length}`;
    const body = JSON.stringify({ event: 'tracking_update', event_id, msg: tracking(registered), ts: 1 });
    const sign = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('base64');
    return { headers: { 'aftership-hmac-sha256': sign }, body };
  },
};

function item(number: string, says: Says | undefined, registry: Registry) {
  const registered = { number, carrier: registry.carrierOf(number) ?? '', id: registry.idOf(number), scans: [] };
  if (says?.kind !== 'found') return tracking(registered);
  return tracking({ ...registered, number: says.otherNumber ?? number, scans: says.scans });
}

function tracking({ number, carrier, id, scans }: RegisteredNumber) {
  const checkpoints = scans.map(toCheckpoint);
  const subtag = checkpoints.at(-1)?.subtag ?? 'Pending_001';
  const slug = carrier || 'usps';
  return { id, tracking_number: number, slug, active: true, tag: tagOf(subtag), subtag, title: number, checkpoints };
}

function toCheckpoint({ time, text, description, place }: JourneyScan) {
  const { date, time: clock, offset } = inZone(time, ZONE);
  const subtag = CODES[text];
  const where = { location: place.name, city: place.name, country_region: 'USA', country_region_name: 'United States' };
  return { checkpoint_time: `${date}T${clock}${offset}`, message: description, tag: tagOf(subtag), subtag, ...where };
}

function tagOf(subtag: string): string {
  return subtag.replace(/_\d+$/, '');
}

function refusal(status: number, code: number, message: string): Reply {
  return { status, json: { meta: { code, type: 'BadRequest', message }, data: {} } };
}
