import { httpClient } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import type { ProviderContext } from '../manifest.ts';
import { parseTrackingNumbers } from './parse.ts';

export type FedexConfig = {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  batchSize: number;
  timeoutMs?: number;
};

/**
 * FedEx Track: all numbers in one call, with an OAuth token.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function fedexClient(
  { baseUrl, clientId, clientSecret, batchSize, timeoutMs = 20_000 }: FedexConfig,
  { tokens }: ProviderContext,
): ProviderClient {
  const url = urlBelow(baseUrl, 'track/v1/trackingnumbers');
  const send = httpClient({ timeoutMs, batchSize });
  const authority = oauth({
    provider: 'fedex',
    title: 'FedEx',
    tokenUrl: urlBelow(baseUrl, 'oauth/token'),
    clientId,
    clientSecret,
    style: 'form',
    // Wrong credentials are a 401; a 403 blocks an address with too many requests for ten minutes.
    blocksForSeconds: 600,
    store: tokens,
  });
  return {
    prepare: authority.prepare,
    ask: async (questions, signal) => {
      const trackingInfo = questions.map(({ number }) => ({ trackingNumberInfo: { trackingNumber: number } }));
      const json = { includeDetailedScans: true, trackingInfo };
      const headers = { 'x-locale': 'en_US' };
      const outcome = await authority.call((bearer) => send(url, { json, bearer, headers }, signal), signal);
      return outcome.kind === 'failed' ? questions.map(() => outcome) : parseTrackingNumbers(outcome, questions);
    },
  };
}
