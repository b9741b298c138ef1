import { createHash } from 'node:crypto';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { httpClient } from '../../http.ts';
import type { Provider, Question } from '../../provider.ts';
import { findCarrier } from '../../registry.ts';
import { parseQuery } from './parse.ts';

export type Kuaidi100Config = {
  /** Where the API lives, for example `https://poll.kuaidi100.com`. */
  baseUrl: string;
  customer: string;
  key: string;
  /** Least seconds between two questions about one number; asked more often, Kuaidi100 may lock it. */
  floorSeconds?: number | undefined;
  callsPerSecond?: number | undefined;
  concurrency?: number | undefined;
  timeoutMs?: number | undefined;
};

/**
 * Kuaidi100 (快递100), the real-time query: one number a call, for every carrier that has a code there.
 * @throws TypeError when `baseUrl` is no URL.
 */
export function kuaidi100(config: Kuaidi100Config): Provider {
  const url = new URL(`${config.baseUrl.replace(/\/{1,99}$/, '')}/poll/query.do`).href;
  const post = httpClient({ timeoutMs: config.timeoutMs ?? 15_000 });

  async function askOne(question: Question, signal: AbortSignal | undefined): Promise<CarrierAnswer> {
    const company = companyOf(question.carrier);
    if (company === null) throw new Error(`kuaidi100 was asked about ${question.carrier}, which it does not serve`);
    const param = JSON.stringify(paramOf(question, company));
    const form = { customer: config.customer, param, sign: sign(param, config) };
    return parseQuery(await post(url, { form }, signal), question);
  }

  return {
    name: 'kuaidi100',
    limits: {
      batchSize: 1,
      callsPerSecond: config.callsPerSecond ?? 10,
      concurrency: config.concurrency ?? 8,
      floorSeconds: config.floorSeconds ?? 1800,
    },
    serves: (carrier) => companyOf(carrier) !== null,
    requires: (carrier) => findCarrier(carrier, { sandbox: false })?.requiredFields ?? [],
    ask: (questions, signal) => Promise.all(questions.map((question) => askOne(question, signal))),
  };
}

function companyOf(carrier: string): string | null {
  return findCarrier(carrier, { sandbox: false })?.kuaidi100 ?? null;
}

/** `resultv2: "4"` asks for a code and a place with every scan. */
function paramOf({ number, phone }: Question, company: string) {
  return { com: company, num: number, ...(phone && { phone }), resultv2: '4', show: '0', order: 'desc' };
}

/** Kuaidi100's signature: MD5 over the exact `param` sent, the key and the customer, in upper-case hex. */
function sign(param: string, { key, customer }: Pick<Kuaidi100Config, 'key' | 'customer'>): string {
  return createHash('md5').update(`${param}${key}${customer}`).digest('hex').toUpperCase();
}
