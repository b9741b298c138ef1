import { createHash } from 'node:crypto';
import { httpClient, isSameText, urlBelow } from '../../http/http.ts';
import { oneOrMore, parseObject, parseObjects, textOf } from '../../http/json.ts';
import {
  askEach,
  type Callback,
  type CallbackKeys,
  type CallbackRequest,
  type CallbackResponse,
} from '../../provider.ts';
import { credential, defineProvider } from '../manifest.ts';
import { CARRIER, historyOf, parseTrace } from './parse.ts';

const DAY = 86_400;
const OBTAIN =
  'register at https://ylopen.jtexpress.my, have your app verified, and copy its account and keys from the console';
const OBTAIN_CUSTOMER =
  'the customer code and the password of the interface, from your J&T branch and its signature tool';

const ACCEPTED: CallbackResponse = {
  status: 200,
  type: 'application/json',
  body: '{"code":"1","msg":"success","data":"SUCCESS","requestId":"1"}',
};

/**
 * The Open Platform of J&T Express (https://ylopen.jtexpress.my): one waybill per call, as a form whose business part
 * is signed. It sends callbacks about every parcel of the account to the address that is set in its console, without a
 * call for it.
 */
export const jtExpress = defineProvider({
  name: 'jt-express',
  title: 'J&T Express (Malaysia)',
  about: 'tracking inquiry and callbacks of the Open Platform, for parcels of your own account',
  capabilities: ['read', 'push'],
  carriers: { [CARRIER]: 'MY' },
  apiUrl: 'https://ylopenapi.jtexpress.my',
  otherUrls: 'https://demoopenapi.jtexpress.my for tests',
  settings: {
    apiAccount: credential('JT_EXPRESS_API_ACCOUNT', 'the apiAccount of your app at J&T', OBTAIN),
    privateKey: credential('JT_EXPRESS_PRIVATE_KEY', 'the privateKey of your app, which also signs callbacks', OBTAIN, {
      verifiesCallbacks: true,
    }),
    customerCode: credential('JT_EXPRESS_CUSTOMER_CODE', 'your customer code at J&T', OBTAIN_CUSTOMER),
    password: credential('JT_EXPRESS_PASSWORD', 'the password as the signature tool shows it', OBTAIN_CUSTOMER),
  },
  limits: { batchSize: 1, concurrency: 2, floorSeconds: 900, callsPerSecond: 2 },
  callbacks: {
    // A callback has the newest scans, so the history is read first.
    subscribe: 'when-found',
    batchSize: 100,
    // The first callback is the next scan, which may take days.
    firstCallbackSeconds: 3 * DAY,
    resubscribeSeconds: 3600,
    verify: verifyCallback,
    parse: parseCallback,
    accepted: ACCEPTED,
  },
  answers: 'JSON: data[].details[]',
  parse: (outcome, requested) => requested.map((each) => parseTrace(outcome, each)),
  connect: ({ baseUrl, apiAccount, privateKey, ...customer }) => {
    const url = urlBelow(baseUrl, 'webopenplatformapi/api/logistics/trace');
    const send = httpClient({ timeoutMs: 15_000 });
    return {
      ask: askEach(({ number }, signal) => {
        const { customerCode, password } = customer;
        const bizContent = JSON.stringify({ customerCode, password, billCode: number });
        const headers = { apiAccount, digest: digestOf(bizContent, privateKey), timestamp: `${Date.now()}` };
        return send(url, { form: { bizContent }, headers }, signal);
      }, parseTrace),
      subscribe: async (questions) => questions.map(() => ({ kind: 'subscribed' })),
    };
  },
});

/** The signature of a business part: the MD5 of it and the private key, base64. */
export function digestOf(bizContent: string, privateKey: string): string {
  return createHash('md5').update(`${bizContent}${privateKey}`).digest('base64');
}

/** Header `digest`: the signature of the form field `bizContent`. */
export function verifyCallback(
  { headers, rawBody }: CallbackRequest,
  { settings: { privateKey } }: CallbackKeys,
): boolean {
  const bizContent = new URLSearchParams(rawBody).get('bizContent');
  if (!privateKey || bizContent === null) return false;
  return isSameText(headers.digest, digestOf(bizContent, privateKey));
}

/** Reads a callback: the form field `bizContent` is one parcel, or a list of them, with new scans. */
export function parseCallback(rawBody: string): Callback[] | null {
  const bizContent = new URLSearchParams(rawBody).get('bizContent') ?? '';
  const parcels = oneOrMore(parseObject(bizContent) ?? parseObjects(bizContent) ?? []);
  if (parcels.length === 0) return null;
  return parcels.flatMap((parcel) => {
    const number = textOf(parcel, 'billCode');
    if (number === '') return [];
    return [{ number, carriers: [CARRIER], answer: historyOf(parcel), watch: 'going_on' as const }];
  });
}
