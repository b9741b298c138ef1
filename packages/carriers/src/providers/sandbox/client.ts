import { httpClient } from '../../http/http.ts';
import type { ProviderClient } from '../../provider.ts';
import { parseTrack } from './parse.ts';

export type SandboxConfig = {
  /** Where the sandbox carrier listens, for example `http://127.0.0.1:4010`. */
  baseUrl: string;
  /** Numbers per call, at most. */
  batchSize: number;
  timeoutMs?: number;
};

/**
 * The sandbox carrier, over the same HTTP as a real one: all numbers in one call.
 * @throws TypeError if `baseUrl` is not a URL.
 */
export function sandboxClient({ baseUrl, batchSize, timeoutMs = 10_000 }: SandboxConfig): ProviderClient {
  const url = new URL(`${baseUrl.replace(/\/{1,99}$/, '')}/track`).href;
  const post = httpClient({ timeoutMs, batchSize });
  return {
    ask: async (questions, signal) => {
      const numbers = questions.map(({ number, carrier, phone }) => ({ number, carrier, ...(phone && { phone }) }));
      const outcome = await post(url, { json: { numbers } }, signal);
      return parseTrack(
        outcome,
        numbers.map(({ number }) => number),
      );
    },
  };
}
