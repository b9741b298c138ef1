import { type CarrierAnswer, concernsProvider, type FailedAnswer, type Found } from '@pts/core/tracking/answer';
import { failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { isObject, type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import {
  aggregatorCallbacks,
  askEach,
  type Callback,
  type CallbackKeys,
  type CallbackRequest,
  type CallbackResponse,
  type Question,
  type SubscribeOutcome,
} from '../../provider.ts';
import { callbackSecret, credential, defineProvider, releaseById, resumeById } from '../manifest.ts';
import { bodyIn, COURIERS, parseResults, parseTracking } from './parse.ts';

/** Any 2xx counts, unless its JSON says `success: false`. */
const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/**
 * Ship24: one number per call. A number gets a tracker once (`subscribe`), which is charged; its results are read by
 * number. Callbacks go to the address that is set in the account.
 */
export const ship24 = defineProvider({
  name: 'ship24',
  title: 'Ship24',
  about: 'trackers, queries and callbacks for most carriers; a tracker is charged',
  capabilities: ['read', 'push', 'release'],
  carriers: COURIERS.table,
  apiUrl: 'https://api.ship24.com/public/v1',
  settings: {
    key: credential('SHIP24_KEY', 'your API key', 'shown under Integrations, API keys at https://dashboard.ship24.com'),
    webhookSecret: callbackSecret(
      'SHIP24_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'shown under Integrations, Webhook at https://dashboard.ship24.com, where you also set the address for callbacks',
    ),
  },
  limits: { batchSize: 1, concurrency: 5, floorSeconds: 1800, callsPerSecond: 10 },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    // A tracker is paid for once: unsubscribing from it and subscribing to it again are free.
    { release: { batchSize: 1, holdSeconds: 0, restarts: 1_000_000 } },
  ),
  answers: 'JSON: data.trackings[].events[]',
  parse: (outcome, requested) => requested.map((each) => parseResults(outcome, each)),
  connect: ({ baseUrl, key }) => {
    const trackers = urlBelow(baseUrl, 'trackers');
    const send = httpClient({ timeoutMs: 20_000 });
    const setSubscribed = (id: string, isSubscribed: boolean, signal: AbortSignal | undefined) => {
      const request = { method: 'PATCH', json: { isSubscribed }, bearer: key } as const;
      return send(`${trackers}/${encodeURIComponent(id)}`, request, signal);
    };
    return {
      ask: askEach(
        ({ number }, signal) =>
          send(`${trackers}/search/${encodeURIComponent(number)}/results`, { bearer: key }, signal),
        parseResults,
      ),
      subscribe: (questions, _callback, signal) =>
        Promise.all(
          questions.map(async (question) =>
            parseRegistered(await send(trackers, { json: trackerOf(question), bearer: key }, signal)),
          ),
        ),
      release: releaseById(async (id, signal) => bodyIn(await setSubscribed(id, false, signal))),
      resume: resumeById(async (id, signal) => bodyIn(await setSubscribed(id, true, signal))),
    };
  },
});

function trackerOf({ number, carrier, postalCode, destinationCountry }: Question) {
  const courier = COURIERS.table[carrier];
  return {
    trackingNumber: number,
    ...(courier && { courierCode: [courier] }),
    ...(postalCode && { destinationPostCode: postalCode }),
    ...(destinationCountry && { destinationCountryCode: destinationCountry }),
  };
}

/** Header `Authorization: Bearer <webhook secret>`; the body is not signed. */
export function verifyCallback({ headers }: CallbackRequest, { settings: { webhookSecret } }: CallbackKeys): boolean {
  return webhookSecret ? isSameText(headers.authorization, `Bearer ${webhookSecret}`) : false;
}

/**
 * Reads a callback: usually one event of one number, sometimes several, each an item of its own. Other topics, such as
 * proofs of delivery, have no events and no news.
 */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body || !Array.isArray(body.trackings)) return null;
  const byNumber = new Map<string, Callback>();
  for (const item of objectsIn(body, 'trackings')) {
    const number = textOf(partOf(item, 'tracker'), 'trackingNumber');
    if (number === '' || !isObject(item.shipment)) continue;
    const callback = callbackOf(item, number);
    const before = byNumber.get(number);
    byNumber.set(number, before ? { ...callback, answer: joined(before.answer, callback.answer) } : callback);
  }
  return [...byNumber.values()];
}

function callbackOf(item: JsonObject, number: string): Callback {
  const [event] = objectsIn(item, 'events');
  const carrier = event && COURIERS.carrierOf(textOf(event, 'courierCode'));
  // The state of the shipment may be that of a later event, which another callback reports.
  const { statusCode: _, statusMilestone: __, ...shipment } = partOf(item, 'shipment');
  const answer = parseTracking(event ? { ...item, shipment } : item, { number, carrier: carrier ?? '' });
  return { number, carriers: carrier ? [carrier] : [], answer, watch: 'going_on' };
}

/** Two parts of one history. */
function joined(a: CarrierAnswer, b: CarrierAnswer): CarrierAnswer {
  if (a.kind !== 'found') return b;
  if (b.kind !== 'found') return a.scans.length > 0 ? a : b;
  const scans: Found['scans'] = [...a.scans, ...b.scans];
  return { ...a, ...b, scans };
}

/** Reads the answer to one `POST /trackers`: 201 for a new tracker, 200 for an existing one. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  if (isConflict(outcome)) return { kind: 'already' };
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return failed('temporary', 'Ship24 registered nothing');
  if (read.kind === 'failed') return isOfNumber(outcome, read) ? { kind: 'refused', message: read.message } : read;
  const remoteId = textOf(partOf(partOf(read.body, 'data'), 'tracker'), 'trackerId');
  if (remoteId === '') return failed('unreadable', 'Ship24 responded without a tracker');
  return { kind: read.status === 201 ? 'subscribed' : 'already', remoteId };
}

/** A tracker with other details exists: it has callbacks as well. */
function isConflict(outcome: HttpOutcome): boolean {
  const body = outcome.kind === 'response' ? parseObject(outcome.text) : null;
  return body !== null && objectsIn(body, 'errors').some((error) => textOf(error, 'code') === 'tracker_conflict');
}

/** Refused for what was sent, and not for the account or for now. */
function isOfNumber(outcome: HttpOutcome, { failure }: FailedAnswer): boolean {
  return outcome.kind === 'response' && outcome.status === 400 && !concernsProvider(failure) && failure !== 'temporary';
}
