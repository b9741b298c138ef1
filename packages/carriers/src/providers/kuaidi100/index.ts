import { createHash, timingSafeEqual } from 'node:crypto';
import type { CallbackWatch } from '@pts/core/tracking/subscription';
import { bodyOrFailure, failed } from '../../answer/body.ts';
import { type HttpOutcome, httpClient, type Send } from '../../http/http.ts';
import { codeOf, isObject, type JsonObject, parseObject, textOf } from '../../http/json.ts';
import {
  askEach,
  type Callback,
  type CallbackAddress,
  type CallbackKeys,
  type CallbackRequest,
  type CallbackResponse,
  type ProviderClient,
  type Question,
  type SubscribeOutcome,
} from '../../provider.ts';
import { credential, defineProvider, lastFourOf } from '../manifest.ts';
import { COMPANIES, carriersOf, companyOf, parseQuery, parseResult } from './parse.ts';

const OBTAIN = 'shown in your enterprise account at https://api.kuaidi100.com';

/** Anything else is sent again half an hour later. */
const ACCEPTED: CallbackResponse = {
  status: 200,
  type: 'application/json; charset=utf-8',
  body: '{"result":true,"returnCode":"200","message":"成功"}',
};

export const kuaidi100 = defineProvider({
  name: 'kuaidi100',
  title: 'Kuaidi100 (快递100)',
  about: 'queries and callbacks for Chinese carriers, most posts and some international carriers',
  capabilities: ['read', 'push'],
  language: 'zh',
  cost: 'per call',
  carriers: COMPANIES,
  // These answer only to someone who knows the last four digits of the sender's or receiver's phone.
  requires: { 'sf-express': ['phone'], 'sf-freight': ['phone'], zto: ['phone'] },
  apiUrl: 'https://poll.kuaidi100.com',
  settings: {
    customer: credential('KUAIDI100_CUSTOMER', 'your customer number at Kuaidi100', OBTAIN),
    key: credential('KUAIDI100_KEY', 'your key at Kuaidi100', OBTAIN),
  },
  limits: {
    batchSize: 1,
    concurrency: 8,
    // Kuaidi100 locks numbers that are queried sooner.
    floorSeconds: 1800,
    callsPerSecond: 10,
  },
  isPlayedByDefault: true,
  playedBySandbox: {
    account: { KUAIDI100_CUSTOMER: 'sandbox-customer', KUAIDI100_KEY: 'sandbox-key' },
    limits: { calls_per_second: 50 },
  },
  callbacks: {
    // A subscription is charged, so a guessed carrier must have answered first.
    subscribe: 'when-found',
    batchSize: 1,
    // It arrives after five to ten minutes.
    firstCallbackSeconds: 900,
    resubscribeSeconds: 1800,
    verify: verifyCallback,
    parse: parseCallback,
    accepted: ACCEPTED,
  },
  answers: 'JSON of query.do: data[]',
  parse: (outcome, requested) => requested.map((each) => parseQuery(outcome, each)),
  connect: (account) => kuaidi100Client(account),
});

type Kuaidi100Config = {
  /** The base URL of the API, for example `https://poll.kuaidi100.com`. */
  baseUrl: string;
  customer: string;
  key: string;
  timeoutMs?: number;
};

/**
 * Kuaidi100 (快递100): the real-time query and the subscription, one number per call, for every carrier with a Kuaidi100
 * code.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function kuaidi100Client({ baseUrl, timeoutMs = 15_000, ...account }: Kuaidi100Config): ProviderClient {
  const url = new URL(`${baseUrl.replace(/\/{1,99}$/, '')}/poll/query.do`).href;
  const subscribeUrl = new URL(`${baseUrl.replace(/\/{1,99}$/, '')}/poll`).href;
  const post = httpClient({ timeoutMs });

  const subscriber = { url: subscribeUrl, key: account.key, post };
  return {
    ask: askEach(async (question, signal) => {
      const company = companyOf(question.carrier, question.number);
      // Parcels outlive releases: one may have been registered when the carrier had a code here.
      if (company === undefined) return failed('unreadable', `Kuaidi100 does not serve ${question.carrier}`);
      const param = JSON.stringify(paramOf(question, company));
      const form = { customer: account.customer, param, sign: sign(param, account) };
      return post(url, { form }, signal);
    }, parseQuery),
    subscribe: (questions, callback, signal) =>
      Promise.all(questions.map((question) => subscribeOne(subscriber, question, callback, signal))),
  };
}

/** `resultv2: "4"` requests a code and a place with every scan. */
function paramOf({ number, phone }: Question, company: string) {
  return {
    com: company,
    num: number,
    ...(phone && { phone: lastFourOf(phone) }),
    resultv2: '4',
    show: '0',
    order: 'desc',
  };
}

/** Kuaidi100's signature: MD5 over the exact `param` sent, the key and the customer, in upper-case hex. */
function sign(param: string, { key, customer }: Pick<Kuaidi100Config, 'key' | 'customer'>): string {
  return createHash('md5').update(`${param}${key}${customer}`).digest('hex').toUpperCase();
}

/** `sign` = MD5(param + salt) in hexadecimal, of either case. */
export function verifyCallback({ rawBody }: CallbackRequest, { salt }: CallbackKeys): boolean {
  const form = new URLSearchParams(rawBody);
  const [param, sign] = [form.get('param'), form.get('sign')];
  if (!param || sign === null || !/^[0-9a-f]{32}$/i.test(sign)) return false;
  const wanted = createHash('md5').update(`${param}${salt}`).digest();
  return timingSafeEqual(wanted, Buffer.from(sign, 'hex'));
}

const WATCHES: Readonly<Record<string, CallbackWatch>> = { shutdown: 'ended', abort: 'aborted' };

/**
 * Reads a callback: form field `param` with the state of the subscription and the whole history (`lastResult`), as a
 * query answers it. A corrected company (`comNew`) continues under its own code, also if the callback says `abort`.
 */
export function parseCallback(rawBody: string): Callback[] | null {
  const param = parseObject(new URLSearchParams(rawBody).get('param') ?? '');
  const result = param?.lastResult;
  if (!param || !isObject(result)) return null;
  const number = textOf(result, 'nu').trim();
  if (number === '') return null;
  const [before, after] = [textOf(param, 'comOld'), textOf(param, 'comNew')];
  const companies = [before, textOf(result, 'com'), after].filter((company) => company !== '');
  const carriers = [...new Set(companies.flatMap((company) => carriersOf(company, number)))];
  const isCorrected = after !== '' && after !== before;
  const watch = isCorrected && param.status === 'abort' ? 'going_on' : (WATCHES[textOf(param, 'status')] ?? 'going_on');
  const callback: Callback = { number, carriers, answer: answerOf(result, number, carriers[0] ?? '', watch), watch };
  const [movedTo] = isCorrected ? carriersOf(after, number) : [];
  if (movedTo !== undefined) callback.movedTo = movedTo;
  const reason = textOf(param, 'message');
  if (watch !== 'going_on' && reason !== '') callback.reason = reason;
  return [callback];
}

/** An aborted subscription may come without any result, which says nothing about the parcel. */
function answerOf(result: JsonObject, number: string, carrier: string, watch: CallbackWatch): Callback['answer'] {
  const hasNothing = !Array.isArray(result.data) && codeOf(result, 'status') === '';
  const answer = hasNothing ? ({ kind: 'not_found' } as const) : parseResult(result, { number, carrier });
  return answer.kind === 'found' && watch === 'ended' ? { ...answer, isWatchEnded: true } : answer;
}

/** Kuaidi100 accepts no shorter and no longer numbers. */
const NUMBER = /^.{6,32}$/;
const UNKNOWN_COMPANY = /公司|不支持|company/i;

/** Subscribes to one number: one call. Kuaidi100 requires an address for callbacks, so no call is made without one. */
export async function subscribeOne(
  { url, key, post }: { url: string; key: string; post: Send },
  question: Question,
  callback: CallbackAddress | null,
  signal: AbortSignal | undefined,
): Promise<SubscribeOutcome> {
  const company = companyOf(question.carrier, question.number);
  if (company === undefined) return refused(`Kuaidi100 does not serve ${question.carrier}`);
  if (!NUMBER.test(question.number)) return refused('Kuaidi100 accepts numbers of 6 to 32 characters');
  if (callback === null) return refused('there is no address for callbacks');
  const param = JSON.stringify(subscriptionOf(question, company, key, callback));
  return parseSubscribed(await post(url, { form: { schema: 'json', param } }, signal));
}

/** `resultv2: "4"` requests the same codes and places as a query; `autoCom` lets Kuaidi100 correct the company. */
function subscriptionOf({ number, phone }: Question, company: string, key: string, { url, salt }: CallbackAddress) {
  const parameters = {
    callbackurl: url,
    salt,
    resultv2: '4',
    autoCom: '1',
    ...(phone && { phone: lastFourOf(phone) }),
  };
  return { company, number, key, parameters };
}

/** Reads the answer to a subscription: `{result, returnCode, message}`. */
export function parseSubscribed(outcome: HttpOutcome): SubscribeOutcome {
  const body = bodyOrFailure(outcome, 'Kuaidi100');
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  if (!answer) return failed('unreadable', 'Kuaidi100 returned something other than a JSON object');
  const code = codeOf(answer, 'returnCode');
  const message = `Kuaidi100 responded with ${code || 'no code'}: ${textOf(answer, 'message')}`;
  switch (code) {
    case '200':
      return { kind: 'subscribed' };
    case '501':
      return { kind: 'already' };
    case '500':
      return UNKNOWN_COMPANY.test(message) ? refused(message) : failed('temporary', message);
    case '600':
      return failed('auth', message);
    case '601':
      return failed('quota', message);
    case '700':
    case '701':
      return refused(message);
    default:
      return failed('unreadable', message);
  }
}

function refused(message: string): SubscribeOutcome {
  return { kind: 'refused', message };
}
