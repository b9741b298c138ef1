import { httpClient } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import type { ProviderContext } from '../manifest.ts';
import { parseTracking } from './parse.ts';

export type UspsConfig = {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  batchSize: number;
  timeoutMs?: number;
};

/**
 * USPS Tracking v3r2: all numbers in one call, with an OAuth token whose scope must hold `tracking`.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function uspsClient(
  { baseUrl, clientId, clientSecret, batchSize, timeoutMs = 20_000 }: UspsConfig,
  { tokens }: ProviderContext,
): ProviderClient {
  const url = urlBelow(baseUrl, 'tracking/v3r2/tracking');
  const send = httpClient({ timeoutMs, batchSize });
  const tokenUrl = urlBelow(baseUrl, 'oauth2/v3/token');
  const account = { provider: 'usps', title: 'USPS', tokenUrl, clientId, clientSecret };
  const authority = oauth({ ...account, style: 'json', store: tokens });
  return {
    prepare: authority.prepare,
    ask: async (questions, signal) => {
      // Further fields in an entry are refused.
      const json = questions.map(({ number }) => ({ trackingNumber: number }));
      const outcome = await authority.call((bearer) => send(url, { json, bearer }, signal), signal);
      return outcome.kind === 'failed' ? questions.map(() => outcome) : parseTracking(outcome, questions);
    },
  };
}
