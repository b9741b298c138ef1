import { randomUUID } from 'node:crypto';
import { concernsProvider, type FailedAnswer } from '@pts/core/tracking/answer';
import { isSameNumber } from '../../answer/answers.ts';
import { bodyOrFailure, failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { codeOf, type JsonObject, objectsIn, parseObject, partOf, textOf } from '../../http/json.ts';
import { oauth } from '../../http/oauth.ts';
import {
  askEach,
  type Callback,
  type CallbackKeys,
  type CallbackRequest,
  type CallbackResponse,
  type SubscribeOutcome,
} from '../../provider.ts';
import { callbackSecret, credential, defineProvider, type Requested } from '../manifest.ts';
import { outcomeOfError, parseDetails } from './parse.ts';

const DAY = 86_400;
const OBTAIN = 'add an app with the product "Tracking" at https://developer.ups.com and copy its client ID and secret';

/** UPS repeats nothing that was not accepted: the safety net finds it. */
const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/** The most numbers of one subscription. */
const MAX_SUBSCRIBED = 100;

/** UPS Track: one number per call, with an OAuth token. UPS Track Alert: up to 100 numbers per subscription. */
export const ups = defineProvider({
  name: 'ups',
  title: 'UPS',
  about: 'the tracking API, and its callbacks (Track Alert)',
  capabilities: ['read', 'push'],
  language: 'en',
  carriers: { ups: 'ups' },
  apiUrl: 'https://onlinetools.ups.com',
  settings: {
    clientId: credential('UPS_CLIENT_ID', 'the client ID of your app at UPS', OBTAIN),
    clientSecret: credential('UPS_CLIENT_SECRET', 'the client secret of your app at UPS', OBTAIN),
    webhookCredential: callbackSecret(
      'UPS_WEBHOOK_CREDENTIAL',
      'the credential of your webhook; without it nothing is subscribed to, and everything is polled',
      'add the product "Track Alert" to your app at https://developer.ups.com, and set the address for callbacks there',
    ),
  },
  limits: {
    batchSize: 1,
    concurrency: 4,
    // UPS publishes no limit.
    callsPerSecond: 5,
    floorSeconds: 900,
  },
  playedBySandbox: {
    account: {
      UPS_CLIENT_ID: 'sandbox-client',
      UPS_CLIENT_SECRET: 'sandbox-secret',
      UPS_WEBHOOK_CREDENTIAL: 'sandbox-webhook-credential',
    },
  },
  callbacks: {
    // Track Alert reports no earlier events, so the history is read first.
    subscribe: 'when-found',
    batchSize: MAX_SUBSCRIBED,
    // The first callback is the next scan, which may take days.
    firstCallbackSeconds: 3 * DAY,
    resubscribeSeconds: 3600,
    // A subscription lapses after 14 days; this leaves two for a failing renewal.
    renewSeconds: 12 * DAY,
    isThin: true,
    verify: verifyCallback,
    parse: parseCallback,
    accepted: ACCEPTED,
  },
  answers: 'JSON: trackResponse.shipment[].package[].activity[]',
  parse: (outcome, requested) => requested.map((each) => parseDetails(outcome, each)),
  connect: ({ baseUrl, clientId, clientSecret, webhookCredential = '' }, { tokens }) => {
    const url = urlBelow(baseUrl, 'api/track/v1/details');
    const subscribeUrl = urlBelow(baseUrl, 'api/track/v2/subscription/standard/package');
    const send = httpClient({ timeoutMs: 15_000 });
    const authority = oauth({
      provider: 'ups',
      title: 'UPS',
      tokenUrl: urlBelow(baseUrl, 'security/v1/oauth/token'),
      clientId,
      clientSecret,
      style: 'basic',
      store: tokens,
    });
    return {
      prepare: authority.prepare,
      ask: askEach(
        ({ number }, signal) =>
          authority.call((bearer) => {
            const request = { query: QUERY, bearer, headers: headersOfCall() };
            return send(`${url}/${encodeURIComponent(number)}`, request, signal);
          }, signal),
        parseDetails,
      ),
      // Without the credential its callbacks would be refused.
      ...(webhookCredential !== '' && {
        subscribe: async (questions, _callback, signal) => {
          const outcome = await authority.call((bearer) => {
            const request = { json: subscriptionOf(questions), bearer, headers: headersOfCall() };
            return send(subscribeUrl, request, signal);
          }, signal);
          return outcome.kind === 'failed' ? questions.map(() => outcome) : parseSubscribed(outcome, questions);
        },
      }),
    };
  },
});

const QUERY = { locale: 'en_US', returnSignature: 'false', returnMilestones: 'false', returnPOD: 'false' };

function headersOfCall() {
  return { transId: randomUUID(), transactionSrc: 'parcel-tracking-service' };
}

/** Header `credential`, or `Authorization` for a webhook with a Bearer token. The body is not signed. */
export function verifyCallback(
  { headers }: CallbackRequest,
  { settings: { webhookCredential } }: CallbackKeys,
): boolean {
  if (!webhookCredential) return false;
  return (
    isSameText(headers.credential, webhookCredential) ||
    isSameText(headers.authorization, `Bearer ${webhookCredential}`)
  );
}

/**
 * Reads a callback: one activity of one number, in the codes of Track Alert, which differ from those of Track. So it
 * only says that there is news, and the parcel's history is read.
 */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  const number = body ? textOf(body, 'trackingNumber').trim() : '';
  if (!body || number === '' || Object.keys(partOf(body, 'activityStatus')).length === 0) return null;
  return [{ number, carriers: ['ups'], answer: { kind: 'not_found' }, isThin: true, watch: 'going_on' }];
}

/** No number of the call is valid. */
const NONE_VALID = ['VSS210', 'VSS215'];
/** A fault of UPS, whatever the HTTP status. */
const SERVER_FAULT = /^(?:VSS100|10\d{3})$/;

/**
 * The body of a subscription. UPS sends callbacks to the address, and with the credential, that the webhook of the app
 * has.
 */
function subscriptionOf(requested: readonly Requested[]) {
  return { locale: 'en_US', countryCode: 'US', trackingNumberList: requested.map(({ number }) => number) };
}

/**
 * Reads the answer to one subscription: `{validTrackingNumbers, invalidTrackingNumbers}`, or the error of the whole
 * call.
 */
export function parseSubscribed(outcome: HttpOutcome, requested: readonly Requested[]): SubscribeOutcome[] {
  const text = bodyOrFailure(outcome, 'UPS', [200, 400]);
  if (typeof text !== 'string') return requested.map(() => text);
  const body = parseObject(text);
  if (!body) return requested.map(() => failed('unreadable', 'UPS responded to a subscription without a JSON object'));
  const [error] = [...objectsIn(partOf(body, 'response'), 'errors'), ...objectsIn(body, 'errors')];
  const code = error ? codeOf(error, 'code') : '';
  const valid = textsIn(body, 'validTrackingNumbers');
  const invalid = textsIn(body, 'invalidTrackingNumbers');
  return requested.map(({ number }) => {
    const isIn = (numbers: readonly string[]) => numbers.some((each) => isSameNumber(each, number));
    if (isIn(valid)) return { kind: 'subscribed' };
    if (isIn(invalid) || NONE_VALID.includes(code))
      return {
        kind: 'refused',
        message: `UPS sends no callbacks about ${number}: it accepts numbers that begin with 1Z or 1R`,
      };
    return error ? failureOf(error) : failed('unreadable', `UPS returned nothing about ${number}`);
  });
}

function failureOf(error: JsonObject): FailedAnswer {
  const code = codeOf(error, 'code');
  const message = `UPS responded with ${code || 'no code'}: ${textOf(error, 'message')}`;
  const known = outcomeOfError(code);
  if (known !== undefined && known !== 'not_found' && concernsProvider(known)) return failed(known, message);
  return failed(SERVER_FAULT.test(code) ? 'transient' : 'unreadable', message);
}

function textsIn(body: JsonObject, key: string): string[] {
  const list = body[key];
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
