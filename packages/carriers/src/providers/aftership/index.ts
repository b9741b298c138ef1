import { createHmac } from 'node:crypto';
import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { codeOf, type JsonObject, parseObject, partOf, textOf } from '../../http/json.ts';
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
import { callbackSecret, credential, defineProvider, proofOf, releaseById } from '../manifest.ts';
import { ALREADY_REGISTERED, alpha3Of, bodyIn, COURIERS, parseTracking, parseTrackings } from './parse.ts';

const BATCH_SIZE = 50;

/** Anything but 2xx is sent again. */
const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/**
 * AfterShip: many numbers per query, one per registration (`subscribe`), which is charged. Callbacks go to the address
 * that is set in the account.
 */
export const afterShip = defineProvider({
  name: 'aftership',
  title: 'AfterShip',
  about: 'registrations, queries and callbacks for most carriers; a registration is charged',
  capabilities: ['read', 'batch', 'push', 'release'],
  carriers: COURIERS.table,
  apiUrl: 'https://api.aftership.com/tracking/2025-01',
  settings: {
    key: credential('AFTERSHIP_KEY', 'your API key', 'created under Settings, API keys at https://admin.aftership.com'),
    webhookSecret: callbackSecret(
      'AFTERSHIP_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'shown under Settings, Webhooks at https://admin.aftership.com, where you also set the address for callbacks',
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 3,
    floorSeconds: 1800,
    // Of its limits (lists 6, single trackings 5) the lowest.
    callsPerSecond: 5,
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    { release: RELEASED_AFTER_A_MONTH },
  ),
  answers: 'JSON of GET /trackings: data.trackings[].checkpoints[]',
  parse: parseTrackings,
  connect: ({ baseUrl, key }) => {
    const url = urlBelow(baseUrl, 'trackings');
    const send = httpClient({ timeoutMs: 20_000, batchSize: BATCH_SIZE });
    const headers = { 'as-api-key': key };
    return {
      ask: async (questions, signal) => {
        const numbers = questions.map(({ number }) => number).join(',');
        // A number may be registered under several carriers.
        const query = { tracking_numbers: numbers, limit: '200' };
        return parseTrackings(await send(url, { query, headers }, signal), questions);
      },
      subscribe: (questions, _callback, signal) =>
        Promise.all(
          questions.map(async (question) =>
            parseRegistered(await send(url, { json: trackingOf(question), headers }, signal)),
          ),
        ),
      // Marking a tracking as completed would need a reason, such as lost, that is not known.
      release: releaseById(async (id, signal) =>
        bodyIn(await send(`${url}/${encodeURIComponent(id)}`, { method: 'DELETE', headers }, signal)),
      ),
    };
  },
});

function trackingOf(question: Question) {
  const { number, carrier, postalCode, destinationCountry } = question;
  const proof = proofOf(question);
  const slug = COURIERS.table[carrier];
  const country = destinationCountry && alpha3Of(destinationCountry);
  return {
    tracking_number: number,
    ...(slug && { slug }),
    ...(proof && { tracking_key: proof }),
    ...(postalCode && { destination_postal_code: postalCode }),
    ...(country && { destination_country_region: country }),
  };
}

/** Header `aftership-hmac-sha256`: HMAC-SHA256 of the body with the webhook secret, in base64. */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { webhookSecret } }: CallbackKeys,
): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret).update(rawBody).digest('base64');
  return isSameText(headers['aftership-hmac-sha256'], wanted);
}

/**
 * Reads a callback: the tracking (`msg`) with its whole history. AfterShip ends with a tracking that is not `active`.
 */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const item = partOf(body, 'msg');
  const number = textOf(item, 'tracking_number');
  // Other events of the account have no tracking.
  if (number === '') return textOf(body, 'event') === '' ? null : [];
  const carrier = COURIERS.carrierOf(textOf(item, 'slug'));
  const answer = parseTracking(item, { number, carrier: carrier ?? '' });
  const carriers = carrier === null ? [] : [carrier];
  if (item.active !== false) return [{ number, carriers, answer, watch: 'going_on' }];
  return [{ number, carriers, answer, watch: 'ended', reason: 'AfterShip has stopped tracking the number' }];
}

/** Reads the answer to one `POST /trackings`. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  const refusal = outcome.kind === 'response' ? parseObject(outcome.text) : null;
  if (refusal !== null && codeOf(partOf(refusal, 'meta'), 'code') === ALREADY_REGISTERED) {
    const remoteId = idIn(refusal);
    return { kind: 'already', ...(remoteId && { remoteId }) };
  }
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return { kind: 'refused', message: 'AfterShip finds no carrier for the number' };
  if (read.kind === 'failed') {
    const isForNow = concernsProvider(read.failure) || outcome.kind !== 'response' || outcome.status < 400;
    return isForNow ? read : { kind: 'refused', message: read.message };
  }
  const remoteId = idIn(read.body);
  return remoteId === ''
    ? failed('unreadable', 'AfterShip responded without a tracking')
    : { kind: 'subscribed', remoteId };
}

function idIn(body: JsonObject): string {
  const data = partOf(body, 'data');
  return textOf(data, 'id') || textOf(partOf(data, 'tracking'), 'id');
}
