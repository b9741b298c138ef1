import { createHmac } from 'node:crypto';
import { concernsProvider } from '@pts/core/tracking/answer';
import { isSameNumber } from '../../answer/answers.ts';
import { failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, objectsIn, parseObject, textOf } from '../../http/json.ts';
import {
  aggregatorCallbacks,
  type Callback,
  type CallbackKeys,
  type CallbackRequest,
  type CallbackResponse,
  type Question,
  RELEASED_AFTER_A_MONTH,
  type SubscribeOutcome,
} from '../../provider.ts';
import { callbackSecret, credential, defineProvider, proofOf, type Requested, releaseById } from '../manifest.ts';
import { ALREADY_REGISTERED, COURIERS, type Data, dataIn, parseTracking, parseTrackings, refusal } from './parse.ts';

const BATCH_SIZE = 40;

/** Anything but 2xx is sent again, up to 14 times. */
const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/**
 * TrackingMore, and 51Tracking at its own address: many numbers per call. A number is registered once (`subscribe`).
 * Callbacks go to the address that is set in the account.
 */
export const trackingMore = defineProvider({
  name: 'trackingmore',
  title: 'TrackingMore / 51Tracking',
  about: 'registrations, queries and callbacks for many carriers; a registration is charged',
  capabilities: ['read', 'batch', 'push', 'release'],
  carriers: COURIERS.table,
  apiUrl: 'https://api.trackingmore.com/v4',
  otherUrls: 'https://api.51tracking.com/v4 for 51Tracking',
  settings: {
    key: credential(
      'TRACKINGMORE_KEY',
      'your API key',
      'shown under Developer, API keys at https://admin.trackingmore.com',
    ),
    webhookSecret: callbackSecret(
      'TRACKINGMORE_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'shown under Developer, Webhooks at https://admin.trackingmore.com, where you also set the address for callbacks',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 3,
    // TrackingMore asks the carrier every few hours.
    floorSeconds: 1800,
    // Of its limits (queries 10, creations 3) the lowest.
    callsPerSecond: 3,
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    { batchSize: BATCH_SIZE, release: RELEASED_AFTER_A_MONTH },
  ),
  answers: 'JSON of GET /trackings/get: data[].origin_info.trackinfo[]',
  parse: parseTrackings,
  connect: ({ baseUrl, key }) => {
    const [readUrl, registerUrl] = [urlBelow(baseUrl, 'trackings/get'), urlBelow(baseUrl, 'trackings/batch')];
    const send = httpClient({ timeoutMs: 20_000, batchSize: BATCH_SIZE });
    const headers = { 'Tracking-Api-Key': key };
    return {
      ask: async (questions, signal) => {
        const numbers = questions.map(({ number }) => number).join(',');
        return parseTrackings(
          await send(readUrl, { query: { tracking_numbers: numbers }, headers }, signal),
          questions,
        );
      },
      subscribe: async (questions, _callback, signal) =>
        parseRegistered(await send(registerUrl, { json: questions.map(itemOf), headers }, signal), questions),
      release: releaseById(async (id, signal) => {
        const url = urlBelow(baseUrl, `trackings/delete/${encodeURIComponent(id)}`);
        return dataIn(await send(url, { method: 'DELETE', headers }, signal));
      }),
    };
  },
});

function itemOf(question: Question) {
  const { number, carrier, postalCode, destinationCountry } = question;
  const proof = proofOf(question);
  return {
    tracking_number: number,
    courier_code: COURIERS.table[carrier] ?? '',
    ...(proof && { customer_phone: proof }),
    ...(postalCode && { tracking_postal_code: postalCode }),
    ...(destinationCountry && { tracking_destination_country: destinationCountry }),
  };
}

/** Names of the header with the signature: the documentation gives none. */
const HEADERS = ['signature', 'x-signature', 'trackingmore-signature', 'x-trackingmore-signature'];

/**
 * HMAC-SHA256 of the body with the webhook secret, in base64 or hexadecimal, as the documentation describes it. Its
 * example signs a timestamp alone, as the signature inside the bodies of an older version does: this proves nothing
 * about a body, so such a callback is refused, and the number is polled.
 */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { webhookSecret } }: CallbackKeys,
): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret).update(rawBody).digest();
  // Its examples write the digest in either form.
  return HEADERS.some(
    (name) => isSameText(headers[name], wanted.toString('base64')) || isSameText(headers[name], wanted.toString('hex')),
  );
}

/** Reads a callback: a tracking (`data`), as a query answers it, or a list of them. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const { data = body } = body;
  const callbacks = (Array.isArray(data) ? data : [data]).filter(isObject).flatMap(callbackOf);
  return callbacks.length > 0 ? callbacks : null;
}

function callbackOf(item: JsonObject): Callback[] {
  const number = textOf(item, 'tracking_number');
  const carrier = COURIERS.carrierOf(textOf(item, 'courier_code') || textOf(item, 'carrier_code'));
  if (number === '') return [];
  const answer = parseTracking(item, { number, carrier: carrier ?? '' });
  return [{ number, carriers: carrier === null ? [] : [carrier], answer, watch: 'going_on' }];
}

/** Reads the answer to one `POST /trackings/batch`: the outcome of each number. */
export function parseRegistered(outcome: HttpOutcome, requested: readonly Requested[]): SubscribeOutcome[] {
  const data = dataIn(outcome);
  if (data.kind === 'not_found') return requested.map(() => failed('temporary', 'TrackingMore registered nothing'));
  if (data.kind === 'failed') return requested.map(() => data);
  return requested.map(({ number }) => outcomeFor(data, number));
}

function outcomeFor({ data }: Data, number: string): SubscribeOutcome {
  const isRequested = (item: Parameters<typeof textOf>[0]) => isSameNumber(textOf(item, 'tracking_number'), number);
  const made = objectsIn(data, 'success').find(isRequested);
  if (made) return { kind: 'subscribed', ...remoteId(textOf(made, 'id')) };
  const refused = objectsIn(data, 'error').find(isRequested);
  if (!refused) return failed('unreadable', `TrackingMore returned nothing about ${number}`);
  const code = codeOf(refused, 'errorCode');
  if (code === ALREADY_REGISTERED) return { kind: 'already', ...remoteId(textOf(refused, 'id')) };
  const answer = refusal(code, textOf(refused, 'errorMessage'));
  if (answer.kind === 'failed' && concernsProvider(answer.failure)) return answer;
  return { kind: 'refused', message: `TrackingMore refused ${number}: ${code} ${textOf(refused, 'errorMessage')}` };
}

function remoteId(id: string): { remoteId?: string } {
  return id === '' ? {} : { remoteId: id };
}
