import { type Environment, textIn } from '@pts/core/settings';
import { callbackSalt, callbackToken } from '@pts/core/tracking/subscription';
import type { Provider } from '../provider.ts';
import type { CallbackAddress, CallbackKeys, CallbackWire } from '../provider-callbacks.ts';
import { manifestsOn, providerOf } from './configured.ts';
import { PROVIDERS } from './index.ts';
import { type ProviderManifest, verifiesCallbacks } from './manifest.ts';
import { routesIn } from './routes.ts';

/** An enabled provider whose callbacks can be received. */
export type CallbackReceiver = {
  provider: Provider;
  /** The last part of the address that it sends callbacks to. */
  token: string;
  keys: CallbackKeys;
  wire: CallbackWire;
};

/** The enabled providers whose callbacks can be received; none without a secret. */
export function callbackReceivers(
  env: Environment,
  secret: string | undefined,
  manifests: readonly ProviderManifest[] = PROVIDERS,
): CallbackReceiver[] {
  if (secret === undefined) return [];
  const routes = routesIn(env);
  return manifestsOn(env, manifests).flatMap((manifest) => {
    const { name, callbacks } = manifest;
    if (!callbacks) return [];
    const keys = { salt: callbackSalt(secret, name), settings: keysIn(env, manifest) };
    return { provider: providerOf(manifest, env, routes), token: callbackToken(secret, name), keys, wire: callbacks };
  });
}

/** The address that a provider sends callbacks to, and the secret that it signs with. */
export function callbackAddress(
  provider: string,
  { baseUrl, secret }: { baseUrl: string; secret: string },
): CallbackAddress {
  const base = baseUrl.replace(/\/{1,99}$/, '');
  return {
    url: `${base}/callbacks/${provider}/${callbackToken(secret, provider)}`,
    salt: callbackSalt(secret, provider),
  };
}

function keysIn(env: Environment, { settings }: ProviderManifest): Record<string, string> {
  const entries = Object.entries(settings).flatMap(([key, setting]) => {
    const value = verifiesCallbacks(setting) ? textIn(env, setting.env) : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}
