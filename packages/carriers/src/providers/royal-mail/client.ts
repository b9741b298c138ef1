import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseEvents } from './parse.ts';

export type RoyalMailConfig = { baseUrl: string; clientId: string; clientSecret: string; timeoutMs?: number };

/**
 * The Tracking API v2 of Royal Mail: one number per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function royalMailClient(config: RoyalMailConfig): ProviderClient {
  const url = urlBelow(config.baseUrl, 'mailpieces/v2');
  const send = httpClient({ timeoutMs: config.timeoutMs ?? 15_000 });
  const headers = {
    'X-IBM-Client-Id': config.clientId,
    'X-IBM-Client-Secret': config.clientSecret,
    'X-Accept-RMG-Terms': 'yes',
    accept: 'application/json',
  };
  return {
    ask: async (questions, signal) => {
      const answers = questions.map(async (question) => {
        const outcome = await send(`${url}/${encodeURIComponent(question.number)}/events`, { headers }, signal);
        return parseEvents(outcome, [question]);
      });
      return (await Promise.all(answers)).flat();
    },
  };
}
