import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseTrack } from './parse.ts';

export type AustraliaPostConfig = {
  baseUrl: string;
  accountNumber: string;
  apiKey: string;
  password: string;
  timeoutMs?: number;
};

/** Australia Post accepts no more in a call. */
export const BATCH_SIZE = 10;

/**
 * The Shipping and Tracking API of Australia Post: up to 10 numbers per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function australiaPostClient(config: AustraliaPostConfig): ProviderClient {
  const url = urlBelow(config.baseUrl, 'shipping/v1/track');
  const send = httpClient({ timeoutMs: config.timeoutMs ?? 15_000, batchSize: BATCH_SIZE });
  const basic = { user: config.apiKey, password: config.password };
  const headers = { 'Account-Number': config.accountNumber, accept: 'application/json' };
  return {
    ask: async (questions, signal) => {
      const query = { tracking_ids: questions.map(({ number }) => number).join(',') };
      return parseTrack(await send(url, { query, basic, headers }, signal), questions);
    },
  };
}
