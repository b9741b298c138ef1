import type { TextName } from '../../journeys/wording.ts';
import { type FoundNumber, replyAbout } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const STATES: Readonly<Record<TextName, string>> = {
  label: 'INFORMED',
  collected: 'EN_ROUTE',
  departed: 'EN_ROUTE',
  departedUnread: 'EN_ROUTE',
  arrived: 'EN_ROUTE',
  arrivedInCity: 'EN_ROUTE',
  cleared: 'EN_ROUTE',
  outForDelivery: 'OUT_FOR_DELIVERY',
  atLocker: 'AVAILABLE_FOR_DELIVERY_PAR_LOC',
  pickedUp: 'DELIVERED',
  delivered: 'DELIVERED',
  held: 'STOPPED',
  refused: 'DELIVERY_REFUSED',
  unreachable: 'DELIVERY_IMPOSSIBLE',
  goingBack: 'RETURNING',
  returned: 'RETURNED',
};

/** The track and trace API of PostNord: a key in the query, one number a call, local times without a zone. */
export const postnord: Wire = {
  name: 'postnord',
  limit: { calls: 10, seconds: 1 },
  isKnown: ({ query }) => query.apikey === 'sandbox-key',
  refused: { status: 403, json: { message: 'The API key is not valid.' } },
  tooMany: fault(429, 'RATE_LIMIT', 'Too many requests.'),
  routes: [
    {
      method: 'get',
      path: '/rest/shipment/v7/trackandtrace/id/:number/public',
      run: async ({ params }, ask) => {
        const number = String(params.number);
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => envelope({ shipments: [shipment(found)] }),
          notFound: envelope({ shipments: [] }),
          problem: (status, message) => fault(status, status === 400 ? 'INVALID_ID' : 'ERROR', message),
        });
      },
    },
  ],
};

function shipment({ number, scans }: FoundNumber) {
  const events = scans.map((scan) => {
    const { date, time } = inZone(scan.time, 'Europe/Stockholm');
    const location = { displayName: scan.place.name, countryCode: 'SE' };
    return { eventTime: `${date}T${time}`, status: STATES[scan.text], eventDescription: scan.description, location };
  });
  const status = events.at(-1)?.status ?? 'OTHER';
  return { shipmentId: number, status, items: [{ itemId: number, status, events }] };
}

function fault(status: number, faultCode: string, explanationText: string): Reply {
  return { status, ...envelope({ compositeFault: { faults: [{ faultCode, explanationText }] } }) };
}

function envelope(content: unknown) {
  return { json: { TrackingInformationResponse: content } };
}
