import { TEST_PROVIDER } from '@pts/core/provider';
import { HTTP_URL, optionalText } from '@pts/core/settings';
import { httpClient } from '../../http/http.ts';
import type { ProviderClient } from '../../provider.ts';
import { carriers } from '../../registry/registry.ts';
import { defineProvider, type RequiredSetting } from '../manifest.ts';
import { parseTrack } from './parse.ts';

const BATCH_SIZE = 40;

export const sandbox = defineProvider({
  name: 'sandbox',
  title: 'Sandbox carrier',
  about: 'scripted journeys for any carrier and for the carrier `sandbox`, for demos and tests (docs/sandbox.md)',
  capabilities: ['read', 'batch'],
  // About half of its texts; the others are Chinese, which their script shows.
  language: 'en',
  carriers: Object.fromEntries(carriers({ sandbox: true }).map(({ code }) => [code, code])),
  settings: {
    baseUrl: address('SANDBOX_URL', 'address of the sandbox carrier'),
  },
  limits: { batchSize: BATCH_SIZE, concurrency: 8, callsPerSecond: 100, floorSeconds: 0 },
  answers: 'JSON of POST /track: results[].scans[]',
  parse: (outcome, requested) =>
    parseTrack(
      outcome,
      requested.map(({ number }) => number),
    ),
  connect: ({ baseUrl }) => sandboxClient({ baseUrl, batchSize: BATCH_SIZE }),
});

/** The sandbox carrier for test accounts, and for them alone. */
export const testCarrier = defineProvider({
  ...sandbox,
  name: TEST_PROVIDER,
  title: 'Test carrier',
  about: 'a sandbox carrier for the parcels of test keys, and for no others (docs/sandbox.md#test-keys)',
  settings: {
    baseUrl: address('TEST_CARRIER_URL', 'address of a sandbox carrier for test keys; without it, there are none'),
  },
  limits: { ...sandbox.limits, callsPerSecond: 20 },
  connect: ({ baseUrl }) => sandboxClient({ baseUrl, batchSize: BATCH_SIZE }),
});

function address(env: string, about: string): RequiredSetting {
  const obtain = 'docs/sandbox-carrier.md says how to run one';
  return { ...optionalText(env, about, HTTP_URL), isRequired: true, obtain };
}

type SandboxConfig = {
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
