import { httpClient } from '../../http/http.ts';
import { urlBelow } from '../../http/url.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseDetail } from './parse.ts';

export type CanadaPostConfig = { baseUrl: string; username: string; password: string; timeoutMs?: number };

/**
 * The tracking API of Canada Post: XML, one number per call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function canadaPostClient({ baseUrl, username, password, timeoutMs }: CanadaPostConfig): ProviderClient {
  const url = urlBelow(baseUrl, 'vis/track/pin');
  const send = httpClient({ timeoutMs: timeoutMs ?? 15_000 });
  const request = {
    basic: { user: username, password },
    // Any other media type, even */*, is refused.
    headers: { accept: 'application/vnd.cpc.track-v2+xml', 'accept-language': 'en-CA' },
  };
  return {
    ask: async (questions, signal) => {
      const answers = questions.map(async (question) => {
        const outcome = await send(`${url}/${encodeURIComponent(question.number)}/detail`, request, signal);
        return parseDetail(outcome, [question]);
      });
      return (await Promise.all(answers)).flat();
    },
  };
}
