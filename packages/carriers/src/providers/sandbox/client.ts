import { httpClient } from '../../http.ts';
import type { Provider } from '../../provider.ts';
import { parseTrack } from './parse.ts';

export type SandboxConfig = {
  /** Where the sandbox carrier listens, for example `http://127.0.0.1:4010`. */
  baseUrl: string;
  floorSeconds?: number | undefined;
  callsPerSecond?: number | undefined;
  concurrency?: number | undefined;
  timeoutMs?: number | undefined;
};

const BATCH_SIZE = 40;

/**
 * The sandbox carrier, over the same HTTP as a real one: scripted journeys for any carrier code, 40 numbers a call.
 * @throws TypeError when `baseUrl` is no URL.
 */
export function sandbox(config: SandboxConfig): Provider {
  const url = new URL(`${config.baseUrl.replace(/\/{1,99}$/, '')}/track`).href;
  const post = httpClient({ timeoutMs: config.timeoutMs ?? 10_000, batchSize: BATCH_SIZE });
  return {
    name: 'sandbox',
    limits: {
      batchSize: BATCH_SIZE,
      callsPerSecond: config.callsPerSecond ?? 100,
      concurrency: config.concurrency ?? 8,
      floorSeconds: config.floorSeconds ?? 0,
    },
    serves: () => true,
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
