import type { ConnectedProvider } from '../provider.ts';
import { connectedProviders } from '../providers/configured.ts';
import { tokensInMemory } from './tokens.ts';

/** A provider, enabled by an environment, with its client. */
export function testProvider(name: string, env: Record<string, string>): ConnectedProvider {
  const [provider] = connectedProviders({ ...env, PROVIDERS: name }, { tokens: tokensInMemory() });
  if (!provider) throw new Error(`there is no provider ${name}`);
  return provider;
}
