import type { JourneyScan } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { type FoundNumber, replyAbout } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const KEY = 'sandbox-key';
const TITLES = { 400: 'Bad request', 429: 'Too many requests', 500: 'Internal error' };

/** `statusCode` of each kind of scan. */
const CODES: Readonly<Record<TextName, string>> = {
  label: 'pre-transit',
  collected: 'transit',
  departed: 'transit',
  departedUnread: 'transit',
  arrived: 'transit',
  arrivedInCity: 'transit',
  cleared: 'transit',
  outForDelivery: 'transit',
  atLocker: 'transit',
  pickedUp: 'delivered',
  delivered: 'delivered',
  held: 'failure',
  refused: 'failure',
  unreachable: 'failure',
  goingBack: 'failure',
  returned: 'failure',
};

/** `status`: the words of steps that share a code. */
const STATUSES: Partial<Record<TextName, string>> = {
  outForDelivery: 'Out for delivery',
  atLocker: 'Ready for pickup',
};

/** DHL Shipment Tracking - Unified: a key in a header, one number a call, local times without a zone. */
export const dhlUnified: Wire = {
  name: 'dhl-unified',
  limit: { calls: 1, seconds: 1 },
  isKnown: ({ headers }) => headers['dhl-api-key'] === KEY,
  refused: problem(401, 'Unauthorized', 'The API key is missing or invalid.'),
  tooMany: problem(429, 'Too many requests', 'More calls than the key allows.'),
  routes: [
    {
      method: 'get',
      path: '/track/shipments',
      run: async ({ query }, ask) => {
        const number = query.trackingNumber;
        if (typeof number !== 'string' || number === '')
          return problem(400, 'Bad request', 'trackingNumber is missing.');
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => ({ json: { shipments: [shipment(found)] } }),
          notFound: problem(404, 'No result found', 'No shipment with this number was found.'),
          problem: (status, message) => problem(status, TITLES[status], message),
        });
      },
    },
  ],
};

function shipment({ number: id, scans }: FoundNumber) {
  const events = scans.map(toEvent).toReversed();
  const place = (scan: JourneyScan | undefined) => ({ address: addressOf(scan) });
  return {
    id,
    service: 'express',
    origin: place(scans[0]),
    destination: place(scans.at(-1)),
    status: events[0],
    details: { totalNumberOfPieces: 1 },
    events,
  };
}

function toEvent(scan: JourneyScan) {
  const { date, time } = inZone(scan.time, 'Europe/Berlin');
  return {
    timestamp: `${date}T${time}`,
    location: { address: addressOf(scan) },
    statusCode: CODES[scan.text],
    status: STATUSES[scan.text] ?? scan.text,
    description: scan.description,
  };
}

function addressOf(scan: JourneyScan | undefined) {
  return { countryCode: 'DE', addressLocality: scan?.place.name ?? '' };
}

function problem(status: number, title: string, detail: string): Reply {
  return { status, json: { title, status, detail } };
}
