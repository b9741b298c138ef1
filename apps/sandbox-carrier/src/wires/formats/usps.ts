import type { JourneyScan, Says } from '../../journeys/journey.ts';
import type { TextName } from '../../journeys/wording.ts';
import { failureOfCall, replyToRefusal } from '../reply.ts';
import type { Reply, Wire } from '../wire.ts';
import { inZone } from '../zone.ts';

const ZONE = 'America/New_York';
const MAX_NUMBERS = 35;

/** `eventCode` of each kind of scan. */
const CODES: Readonly<Record<TextName, string>> = {
  label: 'GX',
  collected: '03',
  departed: 'SF',
  departedUnread: 'SF',
  arrived: 'A1',
  arrivedInCity: '07',
  cleared: 'NT',
  outForDelivery: 'OF',
  atLocker: '16',
  pickedUp: '01',
  delivered: '01',
  held: '52',
  refused: '04',
  unreachable: '05',
  goingBack: '09',
  returned: '09',
};

/** USPS Tracking v3r2: OAuth by JSON, up to 35 numbers a call, status 207 when some of them fail. */
export const usps: Wire = {
  name: 'usps',
  limit: { calls: 60, seconds: 3600 },
  oauth: {
    path: '/oauth2/v3/token',
    style: 'json',
    clientId: 'sandbox-client',
    clientSecret: 'sandbox-secret',
    lifeSeconds: 28_799,
    refused: { status: 401, json: { error: 'invalid_client', error_description: 'Client authentication failed.' } },
  },
  refused: error(401, 'Invalid or expired token.'),
  tooMany: { ...error(429, 'Too many requests.'), headers: { 'retry-after': '60' } },
  routes: [
    {
      method: 'post',
      path: '/tracking/v3r2/tracking',
      body: 'json',
      run: async ({ body }, ask) => {
        const numbers = numbersIn(body);
        if (numbers === null)
          return error(400, 'OASValidation: 1 to 35 objects with a trackingNumber, and nothing else.');
        const says = await ask(
          numbers.map((number) => ({ number })),
          'en',
        );
        const failure = failureOfCall(says);
        if (failure) return replyToRefusal(failure, error);
        const isPartial = says.some(({ kind }) => kind !== 'found');
        return { status: isPartial ? 207 : 200, json: numbers.map((number, i) => entryOf(number, says[i])) };
      },
    },
  ],
};

function numbersIn(body: unknown): string[] | null {
  if (!Array.isArray(body) || body.length === 0 || body.length > MAX_NUMBERS) return null;
  const isEntry = (each: unknown) => Object.keys(each ?? {}).join() === 'trackingNumber';
  return body.every(isEntry) ? body.map(({ trackingNumber }) => String(trackingNumber)) : null;
}

function entryOf(number: string, says: Says | undefined) {
  if (says?.kind !== 'found') {
    const isInvalid = says?.kind === 'failed';
    const message = isInvalid ? 'The tracking number is invalid.' : 'Tracking is not available for this item.';
    return { trackingNumber: number, error: { code: isInvalid ? '400' : '404', message } };
  }
  const trackingEvents = says.scans.map(toEvent).toReversed();
  const status = trackingEvents[0]?.eventType;
  return { trackingNumber: says.otherNumber ?? number, status, mailClass: 'USPS Ground Advantage', trackingEvents };
}

function toEvent(scan: JourneyScan) {
  const local = inZone(scan.time, ZONE);
  const gmt = inZone(scan.time, 'UTC');
  return {
    eventType: scan.description,
    eventCode: CODES[scan.text],
    eventTimestamp: `${local.date}T${local.time}`,
    GMTTimestamp: `${gmt.date}T${gmt.time}Z`,
    GMTOffset: local.offset,
    eventCity: scan.place.name.toUpperCase(),
    eventState: 'NY',
    eventZIP: '10000',
    eventCountry: null,
  };
}

function error(status: number, message: string): Reply {
  return { status, json: { apiVersion: 'v3r2', error: { code: String(status), message } } };
}
