import { createHash, randomUUID } from 'node:crypto';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { failed } from '../../answer/body.ts';
import { httpClient, urlBelow } from '../../http/http.ts';
import type { Question } from '../../provider.ts';
import { credential, defineProvider, lastFourOf } from '../manifest.ts';
import { parseRoutes } from './parse.ts';

const OBTAIN = 'register at https://qiao.sf-express.com (丰桥), create an app and have the route query approved';

/** SF accepts no more in a call. */
const BATCH_SIZE = 10;

/**
 * SF Express (丰桥), the query of routes. A call has one phone: numbers with the same phone, or without one, share a
 * call, and the calls are made one after the other.
 */
export const sfExpress = defineProvider({
  name: 'sf-express',
  title: 'SF Express (顺丰 丰桥)',
  about: 'routes of SF Express, of your own waybills, or of any with the last four digits of a phone',
  capabilities: ['read', 'batch'],
  language: 'zh',
  carriers: { 'sf-express': 'SF' },
  apiUrl: 'https://sfapi.sf-express.com',
  otherUrls: 'https://sfapi-sbox.sf-express.com for tests',
  settings: {
    partnerId: credential('SF_EXPRESS_PARTNER_ID', 'your customer code (顾客编码) at SF Express', OBTAIN),
    checkword: credential('SF_EXPRESS_CHECKWORD', 'the check word (校验码) of your app', OBTAIN),
  },
  limits: {
    // A call has one phone: more only for waybills of the operator's own.
    batchSize: 1,
    concurrency: 4,
    floorSeconds: 900,
    callsPerSecond: 5,
  },
  maxBatchSize: BATCH_SIZE,
  answers: 'JSON: msgData or apiResultData, with routeResps[].routes[]',
  parse: parseRoutes,
  connect: ({ baseUrl, ...account }) => {
    const url = urlBelow(baseUrl, 'std/service');
    const send = httpClient({ timeoutMs: 15_000, batchSize: BATCH_SIZE });

    async function askTogether(questions: readonly Question[], phone: string, signal: AbortSignal | undefined) {
      const form = formOf(JSON.stringify(messageOf(questions, phone)), account);
      return parseRoutes(await send(url, { form }, signal), questions);
    }

    return {
      ask: async (questions, signal) => {
        const answers = new Map<Question, CarrierAnswer>();
        for (const phone of new Set(questions.map(phoneOf))) {
          const group = questions.filter((question) => phoneOf(question) === phone);
          const [...read] = await askTogether(group, phone, signal);
          group.forEach((question, i) => {
            const answer = read[i];
            if (answer) answers.set(question, answer);
          });
        }
        return questions.map((question) => answers.get(question) ?? failed('unreadable', 'SF Express did not answer'));
      },
    };
  },
});

/** The part of a phone number that SF compares; '' without one. */
function phoneOf({ phone = '' }: Question): string {
  return lastFourOf(phone);
}

function messageOf(questions: readonly Question[], phone: string) {
  return {
    language: 'zh-CN',
    trackingType: '1',
    trackingNumber: questions.map(({ number }) => number),
    methodType: '1',
    ...(phone !== '' && { checkPhoneNo: phone }),
  };
}

function formOf(msgData: string, { partnerId, checkword }: { partnerId: string; checkword: string }) {
  const timestamp = String(Date.now());
  return {
    partnerID: partnerId,
    requestID: randomUUID(),
    serviceCode: 'EXP_RECE_SEARCH_ROUTES',
    timestamp,
    msgData,
    msgDigest: sfDigest(msgData, timestamp, checkword),
  };
}

/** SF's signature: Base64 of the MD5 over the text, encoded as a form is (Java's `URLEncoder`). */
export function sfDigest(msgData: string, timestamp: string, checkword: string): string {
  const encoded = new URLSearchParams({ '': `${msgData}${timestamp}${checkword}` }).toString().slice(1);
  return createHash('md5').update(encoded).digest('base64');
}
