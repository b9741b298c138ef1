import type { TextName } from '../../journeys/wording.ts';
import { type FoundNumber, replyAbout } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

/** `eventCode` of each kind of scan, and `statusCategory` while it is the newest. */
const CODES: Readonly<Record<TextName, readonly [code: string, category: string]>> = {
  label: ['EVOAC', 'SENDER PREPARING ITEM'],
  collected: ['EVPPA', 'IN TRANSIT'],
  departed: ['EVDAC', 'IN TRANSIT'],
  departedUnread: ['EVDAC', 'IN TRANSIT'],
  arrived: ['EVDAV', 'IN TRANSIT'],
  arrivedInCity: ['EVGMI', 'IN TRANSIT'],
  cleared: ['EVNMI', 'IN TRANSIT'],
  outForDelivery: ['EVGPD', 'DUE TODAY'],
  atLocker: ['EVDAV', 'READY FOR COLLECTION'],
  pickedUp: ['EVKSP', 'DELIVERED'],
  delivered: ['EVKSP', 'DELIVERED'],
  held: ['EVNRT', 'ACTION REQUIRED'],
  refused: ['EVNRT', 'REFUSED'],
  unreachable: ['EVNRT', 'UNABLE TO DELIVER'],
  goingBack: ['EVNRT', 'RETURN TO SENDER'],
  returned: ['EVNRT', 'RETURN TO SENDER'],
};

/** The Tracking API v2 of Royal Mail: two keys in headers, one number a call. */
export const royalMail: Wire = {
  name: 'royal-mail',
  limit: { calls: 5, seconds: 1 },
  isKnown: ({ headers }) =>
    headers['x-ibm-client-id'] === 'sandbox-client' &&
    headers['x-ibm-client-secret'] === 'sandbox-secret' &&
    headers['x-accept-rmg-terms'] === 'yes',
  refused: problem(401, 'E0001', 'Invalid client id or secret.'),
  tooMany: problem(429, 'E0010', 'Too many requests.'),
  routes: [
    {
      method: 'get',
      path: '/mailpieces/v2/:number/events',
      run: async ({ params }, ask) => {
        const number = String(params.number);
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => ({ json: { mailPieces: mailPiece(found) } }),
          notFound: problem(404, 'E1142', 'Barcode reference is not recognised.'),
          problem: (status, message) => problem(status, { 400: 'E1144', 429: 'E0010', 500: 'E0009' }[status], message),
        });
      },
    },
  ],
};

function mailPiece({ number, scans }: FoundNumber) {
  const events = scans.toReversed().map((scan) => {
    const { date, time, offset } = inZone(scan.time, 'Europe/London');
    const [eventCode] = CODES[scan.text];
    const eventDateTime = `${date}T${time}${offset}`;
    return { eventCode, eventName: scan.description, eventDateTime, locationName: scan.place.name };
  });
  const newest = scans.at(-1);
  const summary = { oneDBarcode: number, statusCategory: newest ? CODES[newest.text][1] : 'IN TRANSIT' };
  return { mailPieceId: `0900000000${number}`, carrierShortName: 'RM', summary, events };
}

function problem(status: number, errorCode: string, errorDescription: string): Reply {
  return {
    status,
    json: { httpCode: String(status), httpMessage: 'Error', errors: [{ errorCode, errorDescription }] },
  };
}
