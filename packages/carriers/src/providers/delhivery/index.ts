import { httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { parseObject, partOf, textOf } from '../../http/json.ts';
import type { Callback, CallbackKeys, CallbackRequest, CallbackResponse } from '../../provider.ts';
import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { parsePackages, pushedScan } from './parse.ts';

const DAY = 86_400;
/** Delhivery accepts no more in a call. */
const BATCH_SIZE = 50;

const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'Success' };

/**
 * The order tracking API of Delhivery (https://one.delhivery.com/developer-portal): up to 50 waybills per call. It
 * pushes the scans of every parcel of the account to one address, which is configured there and not by a call
 * (https://delhivery-express-api-doc.readme.io/reference/tracking-via-push-api-webhook-1).
 */
export const delhivery = defineProvider({
  name: 'delhivery',
  title: 'Delhivery',
  about: 'the order tracking API and its scan push, for shipments of your own account',
  capabilities: ['read', 'batch', 'push'],
  language: 'en',
  carriers: { delhivery: 'delhivery' },
  apiUrl: 'https://track.delhivery.com',
  otherUrls: 'https://staging-express.delhivery.com for tests',
  settings: {
    token: credential(
      'DELHIVERY_TOKEN',
      'the API token of your account at Delhivery',
      'shown in Delhivery One (https://one.delhivery.com), or sent by your contact there; described at https://one.delhivery.com/developer-portal',
    ),
    webhookSecret: callbackSecret(
      'DELHIVERY_WEBHOOK_SECRET',
      'a secret of your choice for callbacks; without it everything is polled',
      'ask your contact at Delhivery to push scans to the address for callbacks, with it as a Bearer token in the header Authorization',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 2,
    floorSeconds: 900,
    // 750 calls in 5 minutes.
    callsPerSecond: 2.5,
  },
  callbacks: {
    // A callback has one scan, so the history is read first.
    subscribe: 'when-found',
    batchSize: 100,
    // The first callback is the next scan, which may take days.
    firstCallbackSeconds: 3 * DAY,
    resubscribeSeconds: 3600,
    verify: verifyCallback,
    parse: parseCallback,
    accepted: ACCEPTED,
  },
  answers: 'JSON: ShipmentData[].Shipment.Scans[].ScanDetail',
  parse: parsePackages,
  connect: ({ baseUrl, token, webhookSecret = '' }) => {
    const url = urlBelow(baseUrl, 'api/v1/packages/json/');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });
    const headers = { authorization: `Token ${token}`, accept: 'application/json' };
    return {
      ask: async (questions, signal) => {
        const query = { waybill: questions.map(({ number }) => number).join(',') };
        return parsePackages(await send(url, { query, headers }, signal), questions);
      },
      // Without the secret its callbacks would be refused.
      ...(webhookSecret !== '' && { subscribe: async (questions) => questions.map(() => ({ kind: 'subscribed' })) }),
    };
  },
});

/** Header `Authorization: Bearer <secret>`; the body is not signed. */
export function verifyCallback({ headers }: CallbackRequest, { settings: { webhookSecret } }: CallbackKeys): boolean {
  return webhookSecret ? isSameText(headers.authorization, `Bearer ${webhookSecret}`) : false;
}

/** Reads a callback: the newest scan of one parcel. */
export function parseCallback(rawBody: string): Callback[] | null {
  const shipment = partOf(parseObject(rawBody) ?? {}, 'Shipment');
  const number = textOf(shipment, 'AWB').trim();
  const answer = pushedScan(shipment);
  if (number === '' || answer.kind !== 'found') return null;
  return [{ number, carriers: ['delhivery'], answer, watch: 'going_on' }];
}
