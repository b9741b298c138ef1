import { type Environment, HTTP_URL, readList, type Setting, textIn } from '@pts/core/settings';
import { callbackSalt, callbackToken } from '@pts/core/tracking/subscription';
import type {
  CallbackAddress,
  CallbackKeys,
  CallbackManifest,
  CallbackWire,
  ConnectedProvider,
  Provider,
  ProviderLimits,
  ProviderServer,
} from '../provider.ts';
import { carriers } from '../registry/registry.ts';
import { PROVIDERS } from './index.ts';
import {
  isRequired,
  type ProviderContext,
  type ProviderManifest,
  type RequiredSetting,
  settingsOf,
  verifiesCallbacks,
} from './manifest.ts';

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
 * @param connects whether the process queries providers; if not, it gets only the secrets that verify callbacks and
 *   needs none.
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
function manifestsOn(env: Environment, manifests: readonly ProviderManifest[]): ProviderManifest[] {
  const named = namesIn(env);
  return manifests.filter((manifest) =>
    named.length > 0 ? named.includes(manifest.name) : missingIn(manifest, env).length === 0,
  );
}

function namesIn(env: Environment): string[] {
  return readList(env.PROVIDERS ?? '').map((name) => name.toLowerCase());
}

/** The public part of a provider with the limits that the environment sets. */
function providerOf(manifest: ProviderManifest, env: Environment, routes: Routes): Provider {
  const { name, title, limits, carriers, requires, cost, language, callbacks } = manifest;
  return {
    name,
    ...(cost && { cost }),
    ...(language && { language }),
    limits: { ...limits, ...overridesFor(name, env).limits },
    serves: (carrier) => Object.hasOwn(carriers, carrier) && (routes.get(carrier)?.includes(name) ?? true),
    rank: (carrier) => routes.get(carrier)?.indexOf(name),
    requires: (carrier) => (Object.hasOwn(requires, carrier) && requires[carrier]) || [],
    ...(callbacks && { callbacks: { title, ...termsOf(callbacks) } }),
  };
}

/** Callbacks without how they are read. */
function termsOf({ maxBodyBytes: _, verify: _verify, parse: _parse, accepted: _accepted, ...terms }: CallbackManifest) {
  return terms;
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

/** The routes that the operator set: by our carrier code, the names of the providers, in order. */
type Routes = ReadonlyMap<string, readonly string[]>;

const VARIABLE = 'PROVIDER_ROUTES';

/** The providers that serve a carrier, preferred first. If one cannot answer for long, the next one is queried. */
export function routeFor<P extends Provider>(carrier: string, providers: readonly P[]): P[] {
  const rank = (provider: P) => provider.rank?.(carrier) ?? providers.indexOf(provider);
  return providers.filter((provider) => provider.serves(carrier)).toSorted((a, b) => rank(a) - rank(b));
}

/** The preferred provider for a carrier; undefined if none serves it. */
export function providerFor<P extends Provider>(carrier: string, providers: readonly P[]): P | undefined {
  return routeFor(carrier, providers)[0];
}

/** Reads `PROVIDER_ROUTES`: `dhl=dhl-unified,17track; yto=kuaidi100`. Checked by `routeFaults` before. */
function routesIn(env: Environment): Routes {
  return new Map(routeEntries(env).map(({ carrier, names }) => [carrier, names]));
}

/** The faults of `PROVIDER_ROUTES`. */
function routeFaults(env: Environment, manifests: readonly ProviderManifest[]): string[] {
  const known = new Set(carriers({ sandbox: true }).map(({ code }) => code));
  return routeEntries(env).flatMap(({ text, carrier, names }) => {
    if (carrier === '' || names.length === 0)
      return [`${VARIABLE} has "${text}", which is not of the form carrier=provider,provider`];
    if (!known.has(carrier)) return [`${VARIABLE} names the carrier ${carrier}, which is not known`];
    return names.flatMap((name) => {
      const manifest = manifests.find((each) => each.name === name);
      if (!manifest) return [`${VARIABLE} names ${name} for ${carrier}, which is not a provider`];
      return Object.hasOwn(manifest.carriers, carrier)
        ? []
        : [`${VARIABLE} names ${name} for ${carrier}, which it does not serve`];
    });
  });
}

function routeEntries(env: Environment): { text: string; carrier: string; names: string[] }[] {
  const texts = (textIn(env, VARIABLE) ?? '').split(';').map((text) => text.trim().toLowerCase());
  return texts
    .filter((text) => text !== '')
    .map((text) => {
      const [carrier = '', names = ''] = text.split('=', 2);
      return { text, carrier: carrier.trim(), names: readList(names) };
    });
}

/** The operator's settings that replace the address and the limits in a manifest. */
type Overrides = { url?: string; limits: Partial<ProviderLimits> };

type Range = { key: keyof ProviderLimits; minimum: number; maximum: number; isWhole: boolean };

/** The limits that accounts at a provider differ in, as `PROVIDER_LIMITS` calls them. */
const LIMITS: Readonly<Record<string, Range>> = {
  calls_per_second: { key: 'callsPerSecond', minimum: 0.0001, maximum: 10_000, isWhole: false },
  daily_budget: { key: 'dailyBudget', minimum: 1, maximum: 1_000_000_000, isWhole: true },
  floor_seconds: { key: 'floorSeconds', minimum: 0, maximum: 30 * 86_400, isWhole: true },
  batch_size: { key: 'batchSize', minimum: 1, maximum: 1000, isWhole: true },
};

/**
 * Reads `PROVIDER_URLS` and `PROVIDER_LIMITS` for one provider; the last entry counts. Checked by `overrideFaults`
 * before.
 */
export function overridesFor(name: string, env: Environment): Overrides {
  const url = urlEntries(env).findLast((entry) => entry.name === name)?.value;
  const own = limitEntries(env).filter((entry) => entry.name === name);
  const limits = own.flatMap(({ limit, value }) => {
    const range = rangeOf(limit);
    return range ? [[range.key, Number(value)]] : [];
  });
  return { ...(url !== undefined && { url }), limits: Object.fromEntries(limits) };
}

/** The faults of `PROVIDER_URLS` and `PROVIDER_LIMITS`. */
function overrideFaults(env: Environment, manifests: readonly ProviderManifest[]): string[] {
  const named = (name: string) => manifests.find((manifest) => manifest.name === name);
  const urls = urlEntries(env).flatMap(({ text, name, value }) => {
    if (value === '') return [`PROVIDER_URLS has "${text}", which is not of the form provider=URL`];
    const manifest = named(name);
    if (!manifest) return [`PROVIDER_URLS names ${name}, which is not a provider`];
    if (manifest.apiUrl === undefined) return [`PROVIDER_URLS names ${name}, whose address is a setting of its own`];
    const fault = HTTP_URL.fault(value);
    return fault === null ? [] : [`PROVIDER_URLS has "${text}", which ${fault}`];
  });
  const limits = limitEntries(env).flatMap(({ text, name, limit, value }) => {
    const range = rangeOf(limit);
    if (!range || value === '')
      return [
        `PROVIDER_LIMITS has "${text}", which is not of the form provider.limit=number; limits are ${Object.keys(LIMITS).join(', ')}`,
      ];
    const manifest = named(name);
    if (!manifest) return [`PROVIDER_LIMITS names ${name}, which is not a provider`];
    const maximum = range.key === 'batchSize' ? (manifest.maxBatchSize ?? manifest.limits.batchSize) : range.maximum;
    if (isWithin(value, { ...range, maximum })) return [];
    const kind = range.isWhole ? 'a whole number' : 'a number';
    return [`PROVIDER_LIMITS has "${text}": it must be ${kind} from ${range.minimum} to ${maximum}`];
  });
  return [...urls, ...limits];
}

/**
 * The variables with which the sandbox carrier at this address plays providers, or another server that has their paths.
 */
export function playedProviders(manifests: readonly ProviderManifest[], sandboxUrl: string): Record<string, string> {
  const played = manifests.filter(({ playedBySandbox }) => playedBySandbox !== undefined);
  const limits = played.flatMap(({ name, playedBySandbox }) =>
    Object.entries({ floor_seconds: 0, ...playedBySandbox?.limits }).map(
      ([limit, value]) => `${name}.${limit}=${value}`,
    ),
  );
  return {
    ...Object.assign({}, ...played.map(({ playedBySandbox }) => playedBySandbox?.account)),
    PROVIDER_URLS: played.map(({ name }) => `${name}=${sandboxUrl}/${name}`).join(','),
    PROVIDER_LIMITS: limits.join(','),
  };
}

/**
 * The addresses and limits of `base` without those of some providers, then those of `own`, which count.
 * @param without the names of the providers, such as those where somebody has an account of their own.
 */
export function mergedOverrides(
  base: Environment,
  own: Environment,
  without: readonly string[] = [],
): Record<string, string> {
  const merged = ['PROVIDER_URLS', 'PROVIDER_LIMITS'].map((variable) => {
    const kept = entriesIn(base, variable).filter(({ name }) => !without.includes(name.split('.')[0] ?? ''));
    const texts = [...kept.map(({ text }) => text), ...readList(own[variable] ?? '')];
    return [variable, texts.join(',')];
  });
  return Object.fromEntries(merged);
}

const rangeOf = (limit: string) => (Object.hasOwn(LIMITS, limit) ? LIMITS[limit] : undefined);

function isWithin(value: string, { minimum, maximum, isWhole }: Range): boolean {
  const form = isWhole ? /^\d{1,12}$/ : /^\d{1,12}(\.\d{1,12})?$/;
  return form.test(value) && Number(value) >= minimum && Number(value) <= maximum;
}

function entriesIn(env: Environment, variable: string): { text: string; name: string; value: string }[] {
  return readList(textIn(env, variable) ?? '').map((text) => {
    const at = text.indexOf('=');
    return at < 0
      ? { text, name: text, value: '' }
      : { text, name: text.slice(0, at).trim().toLowerCase(), value: text.slice(at + 1).trim() };
  });
}

const urlEntries = (env: Environment) => entriesIn(env, 'PROVIDER_URLS');

function limitEntries(env: Environment) {
  return entriesIn(env, 'PROVIDER_LIMITS').map((entry) => {
    const [name = '', limit = ''] = entry.name.split('.', 2);
    return { ...entry, name, limit };
  });
}

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
