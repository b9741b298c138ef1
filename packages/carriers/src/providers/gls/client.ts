import type { TokenStore } from '@pts/core/provider';
import { httpClient } from '../../http/http.ts';
import { oauth } from '../../http/oauth.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseParcels } from './parse.ts';

export type GlsConfig = {
  baseUrl: string;
  clientId: string;
  clientSecret: string;
  tokens: TokenStore;
  timeoutMs?: number;
};

/** GLS accepts no more in a call. */
export const BATCH_SIZE = 10;

/**
 * The track and trace API v1 of the GLS group: up to 10 numbers per call, with OAuth.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function glsClient({ baseUrl, tokens, timeoutMs = 15_000, ...account }: GlsConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'track-and-trace-v1/tracking/simple/trackids');
  const send = httpClient({ timeoutMs, batchSize: BATCH_SIZE });
  const auth = oauth({
    provider: 'gls',
    title: 'GLS',
    tokenUrl: urlBelow(baseUrl, 'oauth2/v2/token'),
    style: 'basic',
    store: tokens,
    ...account,
  });
  const headers = { accept: 'application/json', 'accept-language': 'en' };
  return {
    prepare: auth.prepare,
    ask: async (questions, signal) => {
      const numbers = questions.map(({ number }) => encodeURIComponent(number)).join(',');
      const outcome = await auth.call((bearer) => send(`${url}/${numbers}`, { bearer, headers }, signal), signal);
      return outcome.kind === 'failed' ? questions.map(() => outcome) : parseParcels(outcome, questions);
    },
  };
}
