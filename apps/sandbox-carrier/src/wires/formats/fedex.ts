import type { JourneyScan, Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const ZONE = 'America/Denver';
const MAX_NUMBERS = 30;

/** `eventType` of each kind of scan. */
const CODES: Readonly<Record<TextName, string>> = {
  label: 'OC',
  collected: 'PU',
  departed: 'DP',
  departedUnread: 'DP',
  arrived: 'AR',
  arrivedInCity: 'AR',
  cleared: 'IT',
  outForDelivery: 'OD',
  atLocker: 'HL',
  pickedUp: 'DL',
  delivered: 'DL',
  held: 'DE',
  refused: 'DE',
  unreachable: 'DE',
  goingBack: 'RS',
  returned: 'RS',
};

/** FedEx Track: OAuth by form, up to 30 numbers a call, errors of single numbers in an answer with status 200. */
export const fedex: Wire = {
  name: 'fedex',
  limit: { calls: 1400, seconds: 10 },
  oauth: {
    path: '/oauth/token',
    style: 'form',
    clientId: 'sandbox-client',
    clientSecret: 'sandbox-secret',
    lifeSeconds: 3599,
    refused: error(401, 'NOT.AUTHORIZED.ERROR', 'The given client credentials were not valid.'),
  },
  refused: error(401, 'NOT.AUTHORIZED.ERROR', 'Access token expired.'),
  tooMany: error(429, 'TOO.MANY.REQUESTS', 'The limit of calls is reached.'),
  routes: [
    {
      method: 'post',
      path: '/track/v1/trackingnumbers',
      body: 'json',
      run: async ({ body }, ask) => {
        const numbers = numbersIn(body);
        if (numbers === null) return error(400, 'TRACKING.TRACKINGNUMBER.EMPTY', 'Please provide 1 to 30 numbers.');
        const says = await ask(
          numbers.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) {
          return replyToRefusal(failure, (status, message) => error(status, 'SYSTEM.UNEXPECTED.ERROR', message));
        }
        const completeTrackResults = numbers.map((number, i) => resultOf(number, says[i]));
        return { json: { transactionId: 'sandbox', output: { completeTrackResults } } };
      },
    },
  ],
};

function numbersIn(body: unknown): string[] | null {
  const list = (body as { trackingInfo?: unknown } | null)?.trackingInfo;
  if (!Array.isArray(list) || list.length === 0 || list.length > MAX_NUMBERS) return null;
  return list.map((each) => String(each?.trackingNumberInfo?.trackingNumber ?? ''));
}

function resultOf(number: string, says: Says | undefined) {
  if (says?.kind !== 'found') {
    const code = says?.kind === 'failed' ? 'TRACKING.TRACKINGNUMBER.INVALID' : 'TRACKING.TRACKINGNUMBER.NOTFOUND';
    const trackResult = { trackingNumberInfo: { trackingNumber: number }, error: { code, message: 'See the code.' } };
    return { trackingNumber: number, trackResults: [trackResult] };
  }
  const named = says.otherNumber ?? number;
  const scanEvents = says.scans.map(toEvent).toReversed();
  const latestStatusDetail = { code: scanEvents[0]?.eventType, description: scanEvents[0]?.eventDescription };
  const trackResult = { trackingNumberInfo: { trackingNumber: named }, latestStatusDetail, scanEvents };
  return { trackingNumber: named, trackResults: [trackResult] };
}

function toEvent(scan: JourneyScan) {
  const { date, time, offset } = inZone(scan.time, ZONE);
  const code = CODES[scan.text];
  return {
    date: `${date}T${time}${offset}`,
    eventType: code,
    derivedStatusCode: code,
    eventDescription: scan.description,
    scanLocation: { city: scan.place.name.toUpperCase(), stateOrProvinceCode: 'CO', countryCode: 'US' },
  };
}

function error(status: number, code: string, message: string): Reply {
  return { status, json: { transactionId: 'sandbox', errors: [{ code, message }] } };
}
