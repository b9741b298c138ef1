import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseIdships } from './parse.ts';

export type LaPosteConfig = { baseUrl: string; apiKey: string; timeoutMs?: number };

/** La Poste accepts no more in a call. */
export const BATCH_SIZE = 10;

/**
 * Suivi v2 of La Poste: letters, Colissimo and Chronopost, up to 10 numbers per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function laPosteClient({ baseUrl, apiKey, timeoutMs = 15_000 }: LaPosteConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'suivi/v2/idships');
  const send = httpClient({ timeoutMs, batchSize: BATCH_SIZE });
  const request = { query: { lang: 'fr_FR' }, headers: { 'X-Okapi-Key': apiKey, accept: 'application/json' } };
  return {
    ask: async (questions, signal) => {
      const numbers = questions.map(({ number }) => encodeURIComponent(number)).join(',');
      return parseIdships(await send(`${url}/${numbers}`, request, signal), questions);
    },
  };
}
