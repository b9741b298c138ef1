import { createHash } from 'node:crypto';
import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { failed } from '../../answer/failure.ts';
import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient, Question } from '../../provider.ts';
import { lastFourOf } from '../phone.ts';
import { COMPANIES } from './companies.ts';
import { parseTraces } from './parse.ts';

export type KdniaoConfig = {
  baseUrl: string;
  /** `EBusinessID` */
  customer: string;
  apiKey: string;
  /** `RequestType`: 8001 (paid) or 1002 (free, few carriers). */
  requestType: string;
  timeoutMs?: number;
};

/**
 * Kdniao (快递鸟), the instant query: one number per call, signed.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function kdniaoClient({ baseUrl, timeoutMs = 15_000, ...account }: KdniaoConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'api/dist');
  const send = httpClient({ timeoutMs });

  async function askOne(question: Question, signal: AbortSignal | undefined): Promise<CarrierAnswer[]> {
    const company = COMPANIES[question.carrier];
    // Parcels outlive releases: one may have been registered when the carrier had a code here.
    if (company === undefined) return [failed('unreadable', `Kdniao does not serve ${question.carrier}`)];
    const data = JSON.stringify(dataOf(question, company));
    const form = {
      RequestData: data,
      EBusinessID: account.customer,
      RequestType: account.requestType,
      DataSign: sign(data, account.apiKey),
      DataType: '2',
    };
    return parseTraces(await send(url, { form }, signal), [question]);
  }

  return {
    ask: async (questions, signal) => (await Promise.all(questions.map((question) => askOne(question, signal)))).flat(),
  };
}

function dataOf({ number, phone }: Question, company: string) {
  return { ShipperCode: company, LogisticCode: number, ...(phone && { CustomerName: lastFourOf(phone) }) };
}

/** Kdniao's signature: Base64 of the hexadecimal MD5 over the exact data and the key. */
function sign(data: string, apiKey: string): string {
  const digest = createHash('md5').update(`${data}${apiKey}`).digest('hex');
  return Buffer.from(digest).toString('base64');
}
