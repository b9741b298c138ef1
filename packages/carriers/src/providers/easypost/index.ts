import { createHmac } from 'node:crypto';
import { concernsProvider } from '@pts/core/tracking/answer';
import { failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { parseObject, partOf, textOf } from '../../http/json.ts';
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
import { callbackSecret, credential, defineProvider } from '../manifest.ts';
import { bodyIn, CARRIERS, parseTracker, parseTrackers } from './parse.ts';

/** Anything but 2xx is sent again. */
const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/**
 * EasyPost: one number per call. A number gets a tracker once (`subscribe`), which is charged. Callbacks go to the
 * address that is set in the account.
 */
export const easyPost = defineProvider({
  name: 'easypost',
  title: 'EasyPost',
  about: 'trackers, queries and callbacks, mostly for American carriers; a tracker is charged',
  capabilities: ['read', 'push'],
  carriers: CARRIERS.table,
  apiUrl: 'https://api.easypost.com/v2',
  settings: {
    key: credential(
      'EASYPOST_KEY',
      'your API key',
      'shown under API keys at https://app.easypost.com/account/settings',
    ),
    webhookSecret: callbackSecret(
      'EASYPOST_WEBHOOK_SECRET',
      'the webhook secret; without it callbacks are refused',
      'the one that you choose when you create the webhook with the address for callbacks',
    ),
  },
  limits: { batchSize: 1, concurrency: 5, floorSeconds: 1800, callsPerSecond: 5 },
  callbacks: aggregatorCallbacks({ verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED }),
  answers: 'JSON of GET /trackers: trackers[].tracking_details[]; or a callback',
  parse: (outcome, requested) => requested.map((each) => parseTrackers(outcome, each)),
  connect: ({ baseUrl, key }) => {
    const url = urlBelow(baseUrl, 'trackers');
    const send = httpClient({ timeoutMs: 20_000 });
    const basic = { user: key, password: '' };
    return {
      ask: askEach(
        ({ number }, signal) => send(url, { query: { tracking_codes: number }, basic }, signal),
        parseTrackers,
      ),
      subscribe: (questions, _callback, signal) =>
        Promise.all(
          questions.map(async (question) => {
            const json = { tracker: trackerOf(question) };
            return parseRegistered(await send(url, { json, basic }, signal));
          }),
        ),
    };
  },
});

function trackerOf({ number, carrier }: Question) {
  const name = CARRIERS.table[carrier];
  return { tracking_code: number, ...(name && { carrier: name }) };
}

/** Header `X-Hmac-Signature`: `hmac-sha256-hex=` and HMAC-SHA256 of the body with the webhook secret (Unicode NFKD). */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { webhookSecret } }: CallbackKeys,
): boolean {
  if (!webhookSecret) return false;
  const wanted = createHmac('sha256', webhookSecret.normalize('NFKD')).update(rawBody).digest('hex');
  return isSameText(headers['x-hmac-signature'], `hmac-sha256-hex=${wanted}`);
}

/** Reads a callback: an event whose result is a tracker with its whole history. Other events have no news. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body || textOf(body, 'object') !== 'Event') return null;
  const item = partOf(body, 'result');
  const number = textOf(item, 'tracking_code');
  if (!textOf(body, 'description').startsWith('tracker.') || number === '') return [];
  const carrier = CARRIERS.carrierOf(textOf(item, 'carrier'));
  const answer = parseTracker(item, { number, carrier: carrier ?? '' });
  return [{ number, carriers: carrier === null ? [] : [carrier], answer, watch: 'going_on' }];
}

/** Reads the answer to one `POST /trackers`. For a number that has a tracker, EasyPost returns that one. */
export function parseRegistered(outcome: HttpOutcome): SubscribeOutcome {
  const read = bodyIn(outcome);
  if (read.kind === 'not_found') return failed('temporary', 'EasyPost registered nothing');
  if (read.kind === 'failed') {
    const isOfNumber = outcome.kind === 'response' && (outcome.status === 400 || outcome.status === 422);
    return isOfNumber && !concernsProvider(read.failure) ? { kind: 'refused', message: read.message } : read;
  }
  const remoteId = textOf(read.body, 'id');
  return remoteId === ''
    ? failed('unreadable', 'EasyPost responded without a tracker')
    : { kind: 'subscribed', remoteId };
}
