import type { Provider } from '@pts/carriers/provider';
import { knownProviders, providerSettings } from '@pts/carriers/providers/configured';
import { loadConfig } from '@pts/runtime/settings/config';

/** The providers that are on in this environment, with their limits. @throws ConfigError */
export function providersIn(env: NodeJS.ProcessEnv): Provider[] {
  loadConfig(env, [], providerSettings({ connects: false }));
  return knownProviders(env);
}

/** The minimum seconds between two queries of a number at a provider; null if it is not on in this environment. */
export function floorSecondsIn(env: NodeJS.ProcessEnv, name: string): number | null {
  return providersIn(env).find((provider) => provider.name === name)?.limits.floorSeconds ?? null;
}
