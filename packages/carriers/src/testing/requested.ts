import type { ProviderClient } from '../provider.ts';
import { recordingServer } from './local-server.ts';
import { testProvider } from './provider.ts';

/**
 * The requests, those for OAuth's tokens among them, that a provider's client sends to query numbers, as a server
 * records them.
 * @param env the settings of the provider, for the address of the server.
 */
export async function requestsOf(
  name: string,
  env: (baseUrl: string) => Record<string, string>,
  questions: Parameters<ProviderClient['ask']>[0],
) {
  const { baseUrl, requested, headers } = await recordingServer({ body: '{"access_token":"token","token":"token"}' });
  await testProvider(name, env(`${baseUrl}/`)).ask(questions);
  return requested.map((each, i) => ({ ...each, headers: headers[i] ?? {} }));
}

/** The header of HTTP Basic authentication. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
