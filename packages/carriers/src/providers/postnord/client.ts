import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseTrackAndTrace } from './parse.ts';

export type PostnordConfig = { baseUrl: string; apiKey: string; timeoutMs?: number };

/**
 * The track and trace API v7 of PostNord: one number per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function postnordClient({ baseUrl, apiKey, timeoutMs = 15_000 }: PostnordConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'rest/shipment/v7/trackandtrace/id');
  const send = httpClient({ timeoutMs });
  const query = { apikey: apiKey, locale: 'en' };
  return {
    ask: async (questions, signal) => {
      const answers = questions.map(async (question) => {
        const outcome = await send(`${url}/${encodeURIComponent(question.number)}/public`, { query }, signal);
        return parseTrackAndTrace(outcome, [question]);
      });
      return (await Promise.all(answers)).flat();
    },
  };
}
