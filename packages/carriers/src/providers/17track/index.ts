import { createHash } from 'node:crypto';
import { concernsProvider } from '@pts/core/tracking/answer';
import { isSameNumber } from '../../answer/answers.ts';
import { failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { codeOf, parseObject, partOf, textOf } from '../../http/json.ts';
import {
  aggregatorCallbacks,
  type Callback,
  type CallbackKeys,
  type CallbackRequest,
  type CallbackResponse,
  type Question,
  type ReleaseOutcome,
  type ReleaseQuestion,
  type ResumeOutcome,
  type SubscribeOutcome,
} from '../../provider.ts';
import { findCarrier } from '../../registry/registry.ts';
import { credential, defineProvider, lastFourOf, type Requested } from '../manifest.ts';
import {
  ALREADY_REGISTERED,
  CARRIERS,
  carrierOf,
  keyOf,
  messageOf,
  NOT_REGISTERED,
  NOT_STOPPED,
  NOT_TRACKED,
  outcomeOf,
  parseTrackInfo,
  parseTracking,
  RESTARTED_BEFORE,
  type Sorted,
  sortedIn,
} from './parse.ts';

const BATCH_SIZE = 40;

/** Anything else is sent again after 10, 30 and 60 minutes. */
const ACCEPTED: CallbackResponse = { status: 200, type: 'text/plain; charset=utf-8', body: 'ok' };

/**
 * 17TRACK: many numbers per call. A number is registered once (`subscribe`), which costs a unit; reading it is free.
 * Callbacks go to the address that is set in the account.
 */
export const track17 = defineProvider({
  name: '17track',
  title: '17TRACK',
  about: 'registrations, queries and callbacks for most carriers and all posts; a registration is charged',
  capabilities: ['read', 'batch', 'push', 'release'],
  carriers: CARRIERS,
  requires: { 'sf-express': ['phone'] },
  apiUrl: 'https://api.17track.net/track/v2.4',
  settings: {
    key: credential(
      'TRACK17_KEY',
      'your key at 17TRACK',
      'shown under Settings, Security at https://api.17track.net; set the address for callbacks under Settings, Notification',
      { verifiesCallbacks: true },
    ),
  },
  limits: {
    batchSize: BATCH_SIZE,
    concurrency: 3,
    // 17TRACK asks the carrier every few hours.
    floorSeconds: 1800,
    callsPerSecond: 3,
  },
  playedBySandbox: {
    account: { TRACK17_KEY: 'sandbox-key' },
  },
  callbacks: aggregatorCallbacks(
    { verify: verifyCallback, parse: parseCallback, accepted: ACCEPTED },
    // Stopping refunds nothing and can be undone once, for 90 days: a number that is moved back and forth must not use
    // up the one undo.
    { batchSize: BATCH_SIZE, release: { batchSize: BATCH_SIZE, holdSeconds: 86_400, restarts: 1 } },
  ),
  answers: 'JSON of /gettrackinfo: data.accepted[].track_info',
  parse: parseTrackInfo,
  connect: ({ baseUrl, key }) => {
    const [readUrl, registerUrl] = [urlBelow(baseUrl, 'gettrackinfo'), urlBelow(baseUrl, 'register')];
    const [stopUrl, restartUrl] = [urlBelow(baseUrl, 'stoptrack'), urlBelow(baseUrl, 'retrack')];
    const send = httpClient({ timeoutMs: 20_000, batchSize: BATCH_SIZE });
    const headers = { '17token': key };
    return {
      ask: async (questions, signal) => {
        // Without its carrier, which 17TRACK may have corrected: under another key a number counts as not registered.
        const json = questions.map(({ number }) => ({ number }));
        return parseTrackInfo(await send(readUrl, { json, headers }, signal), questions);
      },
      subscribe: async (questions, _callback, signal) => {
        const json = questions.map((question) => ({ ...itemOf(question), ...extraOf(question) }));
        return parseRegistered(await send(registerUrl, { json, headers }, signal), questions);
      },
      release: async (questions, signal) => {
        const json = questions.map(({ number }) => ({ number }));
        return parseStopped(await send(stopUrl, { json, headers }, signal), questions);
      },
      resume: async (questions, signal) => {
        const json = questions.map(({ number }) => ({ number }));
        return parseRestarted(await send(restartUrl, { json, headers }, signal), questions);
      },
    };
  },
});

function itemOf({ number, carrier }: Question) {
  const key = keyOf(carrier);
  return { number, ...(key !== undefined && { carrier: key }) };
}

/**
 * Inputs that some carriers require besides the number: v2.4 has a field for each, older versions only `param`, for
 * the one that is required.
 */
function extraOf({ carrier, phone, postalCode, destinationCountry }: Question) {
  const lastFour = phone && lastFourOf(phone);
  const wantsPhone = findCarrier(carrier, { sandbox: false })?.requiredFields.includes('phone');
  const param = wantsPhone ? lastFour : postalCode;
  return {
    ...(param && { param }),
    ...(lastFour && { phone_number_last_4: lastFour }),
    ...(postalCode && { destination_postal_code: postalCode }),
    ...(destinationCountry && { destination_country: destinationCountry }),
  };
}

/** Header `sign` = SHA256(body + "/" + key) in hexadecimal. */
export function verifyCallback({ headers, rawBody }: CallbackRequest, { settings: { key } }: CallbackKeys): boolean {
  if (!key) return false;
  const wanted = createHash('sha256').update(`${rawBody}/${key}`).digest('hex');
  return isSameText(headers.sign?.toLowerCase(), wanted);
}

/** Reads a callback: `TRACKING_UPDATED` with the whole history, or `TRACKING_STOPPED` without one. */
export function parseCallback(rawBody: string): Callback[] | null {
  const body = parseObject(rawBody);
  if (!body) return null;
  const item = partOf(body, 'data');
  const number = textOf(item, 'number');
  if (number === '') return null;
  const carrier = carrierOf(codeOf(item, 'carrier'));
  const carriers = carrier === undefined ? [] : [carrier];
  const answer = parseTracking(item);
  if (textOf(body, 'event') !== 'TRACKING_STOPPED') return [{ number, carriers, answer, watch: 'going_on' }];
  return [{ number, carriers, answer, watch: 'ended', reason: '17TRACK has stopped tracking the number' }];
}

/** Reads the answer to one `/register`. A registration costs a unit, except for a number that is registered already. */
export function parseRegistered(outcome: HttpOutcome, requested: readonly Requested[]): SubscribeOutcome[] {
  const sorted = sortedIn(outcome);
  if ('kind' in sorted) return requested.map(() => sorted);
  return requested.map(({ number }) => outcomeFor(sorted, number));
}

function outcomeFor({ accepted, rejected }: Sorted, number: string): SubscribeOutcome {
  if (accepted.some((item) => isSameNumber(textOf(item, 'number'), number))) return { kind: 'subscribed' };
  const item = rejected.find((each) => isSameNumber(textOf(each, 'number'), number));
  if (!item) return failed('unreadable', `17TRACK returned nothing about ${number}`);
  const error = partOf(item, 'error');
  const code = codeOf(error, 'code');
  if (code === ALREADY_REGISTERED) return { kind: 'already' };
  const failure = outcomeOf(code);
  const message = messageOf(error);
  if (failure === 'not_found' || failure === 'temporary') return failed('temporary', message);
  return concernsProvider(failure) ? failed(failure, message) : { kind: 'refused', message };
}

/** Reads the answer to one `/stoptrack`. A stopped number stays in the account, with its history, for 90 days. */
function parseStopped(outcome: HttpOutcome, requested: readonly ReleaseQuestion[]): ReleaseOutcome[] {
  return eachOf(outcome, requested, (code, message) => {
    if (code === null || code === NOT_TRACKED) return { kind: 'released' };
    return code === NOT_REGISTERED ? { kind: 'unknown' } : failedNumber(code, message);
  });
}

/** Reads the answer to one `/retrack`, which is free, and possible once for a number. */
function parseRestarted(outcome: HttpOutcome, requested: readonly ReleaseQuestion[]): ResumeOutcome[] {
  return eachOf<ResumeOutcome>(outcome, requested, (code, message) => {
    if (code === null) return { kind: 'subscribed' };
    if (code === NOT_STOPPED) return { kind: 'already' };
    if (code === NOT_REGISTERED) return { kind: 'unknown' };
    return code === RESTARTED_BEFORE ? { kind: 'refused', message } : failedNumber(code, message);
  });
}

/** The meaning of each number's code; null if it was accepted. */
function eachOf<T>(
  outcome: HttpOutcome,
  requested: readonly ReleaseQuestion[],
  read: (code: string | null, message: string) => T,
): (T | ReturnType<typeof failed>)[] {
  const sorted = sortedIn(outcome);
  if ('kind' in sorted) return requested.map(() => sorted);
  return requested.map(({ number }) => {
    const code = codeFor(sorted, number);
    return code === undefined
      ? failed('unreadable', `17TRACK returned nothing about ${number}`)
      : read(code?.code ?? null, code?.message ?? '');
  });
}

function codeFor({ accepted, rejected }: Sorted, number: string): { code: string; message: string } | null | undefined {
  const refused = rejected.find((item) => isSameNumber(textOf(item, 'number'), number));
  const error = refused && partOf(refused, 'error');
  if (error) return { code: codeOf(error, 'code'), message: messageOf(error) };
  return accepted.some((item) => isSameNumber(textOf(item, 'number'), number)) ? null : undefined;
}

function failedNumber(code: string, message: string) {
  const failure = outcomeOf(code);
  return failed(failure !== 'not_found' && concernsProvider(failure) ? failure : 'temporary', message);
}
