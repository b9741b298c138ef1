import { type Environment, HTTP_URL, readList, textIn } from '@pts/core/settings';
import type { ProviderLimits } from '../provider.ts';
import type { ProviderManifest } from './manifest.ts';

/** What the operator set instead of the address and the limits in a manifest. */
export type Overrides = { url?: string; limits: Partial<ProviderLimits> };

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

/** What is wrong with `PROVIDER_URLS` and `PROVIDER_LIMITS`. */
export function overrideFaults(env: Environment, manifests: readonly ProviderManifest[]): string[] {
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
