import { type Environment, textIn } from '@pts/core/settings/setting';
import { pushSalt, pushToken } from '@pts/core/tracking/callback-secrets';
import type { Provider } from '../provider.ts';
import type { PushCallback, PushKeys, PushWire } from '../provider-push.ts';
import { manifestsOn, providerOf } from './configured.ts';
import { PROVIDERS } from './index.ts';
import { type ProviderManifest, verifiesPushes } from './manifest.ts';
import { routesIn } from './routes.ts';

/** An enabled provider whose pushes can be received. */
export type PushReceiver = {
  provider: Provider;
  /** The last part of the address that it pushes to. */
  token: string;
  keys: PushKeys;
  wire: PushWire;
};

/** The enabled providers whose pushes can be received; none without a secret. */
export function pushReceivers(
  env: Environment,
  secret: string | undefined,
  manifests: readonly ProviderManifest[] = PROVIDERS,
): PushReceiver[] {
  if (secret === undefined) return [];
  const routes = routesIn(env);
  return manifestsOn(env, manifests).flatMap((manifest) => {
    const { name, push } = manifest;
    if (!push) return [];
    const keys = { salt: pushSalt(secret, name), settings: keysIn(env, manifest) };
    return { provider: providerOf(manifest, env, routes), token: pushToken(secret, name), keys, wire: push };
  });
}

/** The address that a provider pushes to, and the secret that it signs with. */
export function pushCallback(provider: string, { baseUrl, secret }: { baseUrl: string; secret: string }): PushCallback {
  const base = baseUrl.replace(/\/{1,99}$/, '');
  return { url: `${base}/callbacks/${provider}/${pushToken(secret, provider)}`, salt: pushSalt(secret, provider) };
}

function keysIn(env: Environment, { settings }: ProviderManifest): Record<string, string> {
  const entries = Object.entries(settings).flatMap(([key, setting]) => {
    const value = verifiesPushes(setting) ? textIn(env, setting.env) : undefined;
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(entries);
}
