import type { Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

/** `status` of the parcel by its newest scan, and `code` of the event. */
const CODES: Readonly<Record<TextName, readonly [state: string, code: string]>> = {
  label: ['PREADVICE', 'INTIAL.PREADVICE'],
  collected: ['INTRANSIT', 'INTIAL.NORMAL'],
  departed: ['INTRANSIT', 'OUTBOUND.NORMAL'],
  departedUnread: ['INTRANSIT', 'OUTBOUND.NORMAL'],
  arrived: ['INWAREHOUSE', 'INBOUND.NORMAL'],
  arrivedInCity: ['INWAREHOUSE', 'INBOUND.NORMAL'],
  cleared: ['INTRANSIT', 'OUTBOUND.NORMAL'],
  outForDelivery: ['INDELIVERY', 'INDELIVERY.NORMAL'],
  atLocker: ['DELIVEREDPS', 'DELIVEREDPS.NORMAL'],
  pickedUp: ['DELIVERED', 'DELIVD.NORMAL'],
  delivered: ['DELIVERED', 'DELIVD.NORMAL'],
  held: ['NOTDELIVERED', 'NOTDELIVERED.ADDRESS'],
  refused: ['NOTDELIVERED', 'NOTDELIVERED.REFUSED'],
  unreachable: ['NOTDELIVERED', 'NOTDELIVERED.ABSENT'],
  goingBack: ['NOTDELIVERED', 'NOTDELIVERED.RETURN'],
  returned: ['FINAL', 'RETURN.NORMAL'],
};

/** The track and trace API of GLS: OAuth, ten numbers a call, offsets without a colon. */
export const gls: Wire = {
  name: 'gls',
  limit: { calls: 10, seconds: 1 },
  oauth: {
    path: '/oauth2/v2/token',
    style: 'basic',
    clientId: 'sandbox-client',
    clientSecret: 'sandbox-secret',
    lifeSeconds: 3600,
    refused: { status: 401, json: { error: 'invalid_client', error_description: 'Client authentication failed' } },
  },
  refused: problem(401, 'The token is not valid.'),
  tooMany: problem(429, 'Too many requests.'),
  routes: [
    {
      method: 'get',
      path: '/track-and-trace-v1/tracking/simple/trackids/:numbers',
      run: async ({ params }, ask) => {
        const numbers = String(params.numbers).split(',');
        const says = await ask(
          numbers.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, problem);
        return { json: { parcels: numbers.map((number, i) => parcel(number, says[i])) } };
      },
    },
  ],
};

function parcel(requested: string, says: Says | undefined) {
  if (says?.kind === 'not_found') return { requested, errorCode: 'E_404_01', errorMessage: 'Resource Not Found' };
  if (says?.kind !== 'found') return { requested, errorCode: 'E_400_01', errorMessage: 'Invalid parcel number' };
  const unitno = says.otherNumber ?? requested;
  const events = says.scans.toReversed().map((scan) => {
    const [, code] = CODES[scan.text];
    const eventDateTime = timestamp(scan.time);
    return { code, city: scan.place.name, postalCode: '', country: 'NL', description: scan.description, eventDateTime };
  });
  const newest = says.scans.at(-1);
  const state = newest && { status: CODES[newest.text][0], statusDateTime: timestamp(newest.time) };
  return { requested: unitno, unitno, ...state, events };
}

function timestamp(instant: Date): string {
  const { date, time, offset } = inZone(instant, 'Europe/Amsterdam');
  return `${date}T${time}${offset.replace(':', '')}`;
}

function problem(status: number, message: string): Reply {
  return { status, json: { errors: [{ errorCode: `E_${status}_01`, errorMessage: message }] } };
}
