import { isRecord } from '../carrier.ts';
import type { JourneyScan } from '../journey.ts';
import type { TextName } from '../story.ts';
import { type FoundNumber, inZone, type Registry, type Reply, replyAbout, type Wire } from './wire.ts';

const ZONE = 'America/Chicago';
const WEBHOOK_CREDENTIAL = 'sandbox-webhook-credential';
const MAX_SUBSCRIBED = 100;
const VALID = /^(?:1[ZR]|SBX)[0-9A-Z]+$/;
const isValid = (number: string) => VALID.test(number) && !number.startsWith('SBXINVALID');

/** `type`, `code` and `statusCode` of each kind of scan. */
const CODES: Readonly<Record<TextName, readonly [type: string, code: string, statusCode: string]>> = {
  label: ['M', 'MP', '003'],
  collected: ['P', 'OR', '038'],
  departed: ['I', 'DP', '005'],
  departedUnread: ['I', 'DP', '005'],
  arrived: ['I', 'AR', '005'],
  arrivedInCity: ['I', 'DS', '005'],
  cleared: ['I', 'XR', '005'],
  outForDelivery: ['I', 'OT', '021'],
  atLocker: ['I', 'ZP', '040'],
  pickedUp: ['D', 'KB', '011'],
  delivered: ['D', 'FS', '011'],
  held: ['X', 'X', '046'],
  refused: ['X', 'RF', '013'],
  unreachable: ['X', 'UR', '013'],
  goingBack: ['X', 'RS', '036'],
  returned: ['RS', 'RS', '034'],
};

/**
 * UPS Track: OAuth with HTTP Basic, one number a call, local times and the same in GMT, where hours lack their leading
 * zero.
 */
export const ups: Wire = {
  name: 'ups',
  limit: { calls: 50, seconds: 10 },
  oauth: {
    path: '/security/v1/oauth/token',
    clientId: 'sandbox-client',
    clientSecret: 'sandbox-secret',
    lifeSeconds: 14_399,
    refused: error(401, '10401', 'ClientId is Invalid'),
    granted: (token, seconds) => ({
      token_type: 'Bearer',
      issued_at: '0',
      client_id: 'sandbox-client',
      access_token: token,
      expires_in: String(seconds),
      status: 'approved',
    }),
  },
  refused: error(401, '250002', 'Invalid Authentication Information'),
  tooMany: error(429, '10429', 'Too Many Requests'),
  lapseSeconds: 14 * 86_400,
  routes: [
    {
      method: 'post',
      path: '/api/track/v2/subscription/standard/package',
      run: ({ body }, _ask, registry) => subscribed(body, registry),
    },
    {
      method: 'get',
      path: '/api/track/v1/details/:number',
      run: async ({ params }, ask) => {
        const number = String(params.number);
        const [says] = await ask([{ number }], 'en');
        return replyAbout(number, says, {
          found: (found) => ({ json: { trackResponse: { shipment: [shipment(found)] } } }),
          notFound: error(404, 'TW0001', 'Tracking Information Not Found'),
          problem: (status, message) => error(status, { 400: 'TV1002', 429: '10429', 500: '10500' }[status], message),
        });
      },
    },
  ],
  callback({ number, scans }) {
    const body = JSON.stringify(alertOf(number, scans.at(-1)));
    return { headers: { credential: WEBHOOK_CREDENTIAL, 'user-agent': 'UPSPubSubTrackingService' }, body };
  },
};

/** Track Alert: up to 100 numbers. It accepts those that begin with 1Z or 1R, and those of the sandbox. */
function subscribed(body: unknown, registry: Registry): Reply {
  const { locale, trackingNumberList: list } = isRecord(body) ? body : {};
  if (typeof locale !== 'string') return error(400, 'VSS300', 'Locale is required.');
  if (!Array.isArray(list) || list.length === 0) return error(400, 'VSS200', 'Tracking Number List is required.');
  if (list.length > MAX_SUBSCRIBED) return error(400, 'VSS220', 'Over 100 1Z numbers are not allowed.');
  const numbers = list.map(String);
  const validTrackingNumbers = numbers.filter(isValid);
  const invalidTrackingNumbers = numbers.filter((number) => !isValid(number));
  for (const number of validTrackingNumbers) registry.add(number);
  if (validTrackingNumbers.length > 0) return { json: { validTrackingNumbers, invalidTrackingNumbers } };
  const { json } = error(400, 'VSS210', 'There should be at least one valid tracking number.');
  return { status: 400, json: { invalidTrackingNumbers, ...json } };
}

/** One activity, as Track Alert reports it. */
function alertOf(trackingNumber: string, scan: JourneyScan | undefined) {
  if (scan === undefined) return { trackingNumber };
  const { location, status, date, time, gmtDate, gmtTime } = toActivity(scan);
  const { type, code, statusCode: descriptionCode } = status;
  return {
    trackingNumber,
    localActivityDate: date,
    localActivityTime: time,
    gmtActivityDate: gmtDate,
    gmtActivityTime: gmtTime.padStart(6, '0'),
    activityLocation: { ...location.address, postalCode: '' },
    activityStatus: { type, code, description: scan.description.toUpperCase(), descriptionCode },
  };
}

function shipment({ number, scans }: FoundNumber) {
  const activity = scans.map(toActivity).toReversed();
  const currentStatus = activity[0]?.status;
  return { inquiryNumber: number, package: [{ trackingNumber: number, packageCount: 1, activity, currentStatus }] };
}

function toActivity(scan: JourneyScan) {
  const local = inZone(scan.time, ZONE);
  const gmt = inZone(scan.time, 'UTC');
  const [type, code, statusCode] = CODES[scan.text];
  return {
    location: { address: { city: scan.place.name, stateProvince: 'IL', countryCode: 'US', country: 'US' } },
    status: { type, code, statusCode, description: scan.description, simplifiedTextDescription: 'Delivered' },
    date: digits(local.date),
    time: digits(local.time),
    gmtDate: digits(gmt.date),
    gmtTime: digits(gmt.time).replace(/^0/, ''),
    gmtOffset: local.offset,
  };
}

const digits = (text: string) => text.replace(/\D/g, '');

function error(status: number, code: string, message: string): { status: number; json: object } {
  return { status, json: { response: { errors: [{ code, message }] } } };
}
