import { createHash } from 'node:crypto';
import { text } from '@pts/core/settings';
import { failed } from '../../answer/body.ts';
import { httpClient, urlBelow } from '../../http/http.ts';
import { askEach, type Question } from '../../provider.ts';
import { credential, defineProvider, lastFourOf } from '../manifest.ts';
import { COMPANIES, parseTraces } from './parse.ts';

const OBTAIN = 'shown in your account at https://www.kdniao.com';
const REQUEST_TYPE = '8001';

/** Kdniao (快递鸟), the instant query: one number per call, signed. */
export const kdniao = defineProvider({
  name: 'kdniao',
  title: 'Kdniao (快递鸟)',
  about: 'instant queries for Chinese carriers',
  capabilities: ['read'],
  language: 'zh',
  carriers: COMPANIES,
  // These answer only to someone who knows the last four digits of the sender's or receiver's phone.
  requires: { 'sf-express': ['phone'], zto: ['phone'] },
  apiUrl: 'https://api.kdniao.com',
  settings: {
    customer: credential('KDNIAO_CUSTOMER', 'your user id (EBusinessID) at Kdniao', OBTAIN),
    apiKey: credential('KDNIAO_API_KEY', 'your API key at Kdniao', OBTAIN),
    requestType: {
      ...text('KDNIAO_REQUEST_TYPE', 'the query that you have booked: 8001 (paid) or 1002 (free, few carriers)', {
        schema: { enum: [REQUEST_TYPE, '1002'] },
      }),
      fallback: REQUEST_TYPE,
    },
  },
  limits: { batchSize: 1, concurrency: 8, floorSeconds: 1800, callsPerSecond: 20 },
  answers: 'JSON: Traces[]',
  parse: parseTraces,
  connect: ({ baseUrl, ...account }) => {
    const url = urlBelow(baseUrl, 'api/dist');
    const send = httpClient({ timeoutMs: 15_000 });
    return {
      ask: askEach(
        async (question, signal) => {
          const company = COMPANIES[question.carrier];
          // Parcels outlive releases: one may have been registered when the carrier had a code here.
          if (company === undefined) return failed('unreadable', `Kdniao does not serve ${question.carrier}`);
          const data = JSON.stringify(dataOf(question, company));
          const form = {
            RequestData: data,
            EBusinessID: account.customer,
            RequestType: account.requestType,
            DataSign: sign(data, account.apiKey),
            DataType: '2',
          };
          return send(url, { form }, signal);
        },
        (outcome, question) => parseTraces(outcome, [question]),
      ),
    };
  },
});

function dataOf({ number, phone }: Question, company: string) {
  return { ShipperCode: company, LogisticCode: number, ...(phone && { CustomerName: lastFourOf(phone) }) };
}

/** Kdniao's signature: Base64 of the hexadecimal MD5 over the exact data and the key. */
function sign(data: string, apiKey: string): string {
  const digest = createHash('md5').update(`${data}${apiKey}`).digest('hex');
  return Buffer.from(digest).toString('base64');
}
