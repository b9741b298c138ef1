import { type Environment, readList, type Setting, textIn } from '@pts/core/settings';
import type { ConnectedProvider, Provider, ProviderServer } from '../provider.ts';
import type { CallbackManifest, ProviderCallbacks } from '../provider-callbacks.ts';
import { PROVIDERS } from './index.ts';
import {
  isRequired,
  type ProviderContext,
  type ProviderManifest,
  type RequiredSetting,
  settingsOf,
  verifiesCallbacks,
} from './manifest.ts';
import { overrideFaults, overridesFor } from './overrides.ts';
import { type Routes, routeFaults, routesIn } from './routes.ts';

/** The enabled providers, in order of preference, for processes that do not query them. Needs no key. */
export function knownProviders(env: Environment, manifests: readonly ProviderManifest[] = PROVIDERS): Provider[] {
  const routes = routesIn(env);
  return manifestsOn(env, manifests).map((manifest) => providerOf(manifest, env, routes));
}

/**
 * The enabled providers, in order of preference, each with its client.
 * @throws Error when a required setting is missing, which `providerSettings` reports before.
 */
export function connectedProviders(
  env: Environment,
  context: ProviderContext,
  manifests: readonly ProviderManifest[] = PROVIDERS,
): ConnectedProvider[] {
  const routes = routesIn(env);
  return manifestsOn(env, manifests).map((manifest) => {
    const values = valuesOf(manifest, env);
    return {
      ...providerOf(manifest, env, routes),
      ...manifest.connect(values, context),
      ...(values.baseUrl !== undefined && { server: serverOf(new URL(values.baseUrl)) }),
    };
  });
}

function serverOf({ hostname, port, protocol }: URL): ProviderServer {
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
}

/**
 * The settings of all providers, for `loadConfig`, and what is wrong with them together.
 * @param connects whether the process queries providers; if not, it gets only the secrets that verify callbacks and needs none.
 */
export function providerSettings(
  { connects }: { connects: boolean },
  manifests: readonly ProviderManifest[] = PROVIDERS,
) {
  const names = manifests.map(({ name }) => name).join(', ');
  return {
    settings: manifests
      .flatMap(settingsOf)
      .filter((setting) => connects || !setting.secret || verifiesCallbacks(setting)),
    faults: (env: Environment): string[] => {
      const named = namesIn(env);
      const inLists = [...routeFaults(env, manifests), ...overrideFaults(env, manifests)];
      if (named.length === 0) return [...manifests.flatMap((manifest) => halfSet(manifest, env)), ...inLists];
      const unknown = named.filter((name) => !manifests.some((manifest) => manifest.name === name));
      const on = connects ? manifestsOn(env, manifests) : [];
      return [
        ...unknown.map((name) => `PROVIDERS names ${name}, which is not a provider; choose from: ${names}`),
        ...on.flatMap((manifest) =>
          missingIn(manifest, env).map((each) => `${lacking(each)}; PROVIDERS names ${manifest.name}`),
        ),
        ...inLists,
      ];
    },
  };
}

/** The names of the providers that are off, because neither `PROVIDERS` nor their settings enable them. */
export function providersOff(env: Environment, manifests: readonly ProviderManifest[] = PROVIDERS): string[] {
  const on = new Set(manifestsOn(env, manifests));
  return manifests.filter((manifest) => !on.has(manifest)).map(({ name }) => name);
}

/** The providers that `PROVIDERS` names; without it, those whose required settings are present. */
export function manifestsOn(env: Environment, manifests: readonly ProviderManifest[]): ProviderManifest[] {
  const named = namesIn(env);
  return manifests.filter((manifest) =>
    named.length > 0 ? named.includes(manifest.name) : missingIn(manifest, env).length === 0,
  );
}

function namesIn(env: Environment): string[] {
  return readList(env.PROVIDERS ?? '').map((name) => name.toLowerCase());
}

/** The public part of a provider with the limits that the environment sets. */
export function providerOf(manifest: ProviderManifest, env: Environment, routes: Routes): Provider {
  const { name, title, limits, carriers, requires, cost, language, callbacks } = manifest;
  return {
    name,
    ...(cost && { cost }),
    ...(language && { language }),
    limits: { ...limits, ...overridesFor(name, env).limits },
    serves: (carrier) => Object.hasOwn(carriers, carrier) && (routes.get(carrier)?.includes(name) ?? true),
    rank: (carrier) => routes.get(carrier)?.indexOf(name),
    requires: (carrier) => (Object.hasOwn(requires, carrier) && requires[carrier]) || [],
    ...(callbacks && { callbacks: publicPart(title, callbacks) }),
  };
}

function publicPart(title: string, callbacks: CallbackManifest): ProviderCallbacks {
  const { subscribe, batchSize, firstCallbackSeconds, resubscribeSeconds, renewSeconds, isNoticeOnly, release } =
    callbacks;
  return {
    title,
    subscribe,
    batchSize,
    firstCallbackSeconds,
    resubscribeSeconds,
    ...(renewSeconds !== undefined && { renewSeconds }),
    ...(isNoticeOnly && { isNoticeOnly }),
    ...(release && { release }),
  };
}

function valuesOf(manifest: ProviderManifest, env: Environment): Record<string, string> {
  const [missing] = missingIn(manifest, env);
  if (missing) throw new Error(`${manifest.name} cannot be connected: ${lacking(missing)}`);
  const entries = Object.entries(manifest.settings).map(([key, setting]) => [key, settingIn(setting, env)]);
  const baseUrl = overridesFor(manifest.name, env).url ?? manifest.apiUrl;
  return { ...(baseUrl !== undefined && { baseUrl }), ...Object.fromEntries(entries) };
}

function settingIn(setting: Setting<string | undefined>, env: Environment): string | undefined {
  return textIn(env, setting.env) ?? setting.fallback;
}

function missingIn({ settings }: ProviderManifest, env: Environment): RequiredSetting[] {
  return Object.values(settings)
    .filter(isRequired)
    .filter((setting) => textIn(env, setting.env) === undefined);
}

function lacking({ env, about }: RequiredSetting): string {
  return `${env} is missing: ${about}`;
}

/** A provider with only some of its required settings would be disabled silently. */
function halfSet(manifest: ProviderManifest, env: Environment): string[] {
  const missing = missingIn(manifest, env);
  const given = Object.values(manifest.settings).filter((setting) => isRequired(setting) && !missing.includes(setting));
  if (missing.length === 0 || given.length === 0) return [];
  const others = given.map((setting) => setting.env).join(', ');
  return missing.map((each) => `${lacking(each)}; ${manifest.title} needs it in addition to ${others}`);
}
