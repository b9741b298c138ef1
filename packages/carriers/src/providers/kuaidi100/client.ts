import { createHash } from 'node:crypto';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import { httpClient } from '../../http/http.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { lastFourOf } from '../phone.ts';
import { companyOf } from './companies.ts';
import { parseQuery } from './parse.ts';
import { subscribeOne } from './subscribe.ts';

export type Kuaidi100Config = {
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

  async function askOne(question: Question, signal: AbortSignal | undefined): Promise<CarrierAnswer> {
    const company = companyOf(question.carrier, question.number);
    // Parcels outlive releases: one may have been registered when the carrier had a code here.
    if (company === undefined) return failed('unreadable', `Kuaidi100 does not serve ${question.carrier}`);
    const param = JSON.stringify(paramOf(question, company));
    const form = { customer: account.customer, param, sign: sign(param, account) };
    return parseQuery(await post(url, { form }, signal), question);
  }

  const subscriber = { url: subscribeUrl, key: account.key, post };
  return {
    ask: (questions, signal) => Promise.all(questions.map((question) => askOne(question, signal))),
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
