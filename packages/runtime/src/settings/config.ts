import { nearestName } from '@pts/core/sent-instead';
import { type Environment, type Setting, textIn } from '@pts/core/settings';
import { Ajv, type ErrorObject } from 'ajv';
import type { Logger } from '../logger.ts';
import { SETTINGS, type SettingName, type Settings } from './settings.ts';

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config<K extends SettingName> = { readonly [P in K]: ValueOf<Settings[P]> };

/** The configuration is invalid; the message lists every fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** Each without its neighbours, for a line of its own. */
  readonly faults: readonly string[];

  constructor(text: string, faults: readonly string[] = [text]) {
    super(faults[0] === text ? text : [text, ...faults.map((fault) => `  ${fault}`)].join('\n'));
    this.faults = faults;
  }
}

/** Settings that are declared elsewhere, such as those of providers. They are checked here and read by their owners. */
export type FurtherSettings = {
  settings: readonly Setting<unknown>[];
  /** Faults across these settings, each with its variable. */
  faults(env: Environment): string[];
};

const NONE: FurtherSettings = { settings: [], faults: () => [] };

/**
 * Reads the settings a process needs from the environment, once, at boot. An empty variable counts as unset.
 * @throws ConfigError that lists every fault, those of `further` included, each with its variable.
 */
export function loadConfig<K extends SettingName>(
  env: Environment,
  names: readonly K[],
  further: FurtherSettings = NONE,
): Config<K> {
  const settings: Setting<unknown>[] = [...names.map((name) => SETTINGS[name]), ...further.settings];
  const given = present(env, settings);
  const invalid = faultsBySchema(given, settings);
  const faults = [...missing(given, settings), ...invalid.map(describe), ...furtherFaults(env, settings, invalid)];
  faults.push(...further.faults(env));
  if (faults.length > 0)
    throw new ConfigError('The configuration is not valid:', [...faults, ...misspelled(env, further)]);
  const values = names.map((name) => {
    const setting = SETTINGS[name];
    const text = given[setting.env];
    return [name, text === undefined ? setting.fallback : setting.read(text)];
  });
  return Object.freeze(Object.fromEntries(values)) as Config<K>;
}

function present(env: Environment, settings: readonly Setting<unknown>[]): Record<string, string> {
  const entries = settings.map((setting) => [setting.env, textIn(env, setting.env)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function missing(given: Record<string, string>, settings: readonly Setting<unknown>[]): string[] {
  return settings
    .filter((setting) => !('fallback' in setting) && given[setting.env] === undefined)
    .map((setting) => `${setting.env} is missing: ${setting.about}`);
}

/**
 * The validator of settings. Strict numbers are off: with them, Ajv would not check Infinity against a maximum.
 * Features that only large inputs or unknown schemas need are off, too: every process waits for this when it starts.
 */
const ajv = new Ajv({
  allErrors: true,
  coerceTypes: true,
  strict: true,
  strictNumbers: false,
  validateSchema: false,
  meta: false,
  code: { optimize: false },
});

function faultsBySchema(given: Record<string, string>, settings: readonly Setting<unknown>[]): ErrorObject[] {
  const checked = settings.filter(({ env }) => given[env] !== undefined);
  const properties = Object.fromEntries(checked.map(({ env, schema }) => [env, schema]));
  const validate = ajv.compile({ type: 'object', properties });
  // Ajv coerces in place: the copy keeps the texts.
  return validate({ ...given }) ? [] : (validate.errors ?? []);
}

/** Faults beyond the schema, of settings that passed it. */
function furtherFaults(
  env: Environment,
  settings: readonly Setting<unknown>[],
  invalid: readonly ErrorObject[],
): string[] {
  const refused = new Set(invalid.map(variableOf));
  return settings.flatMap((setting) => {
    const text = textIn(env, setting.env);
    const found = text === undefined || refused.has(setting.env) ? null : setting.fault?.(text, env);
    return found ? [`${setting.env} ${found}`] : [];
  });
}

const variableOf = ({ instancePath }: ErrorObject) => instancePath.slice(1);

const TYPES = new Map([
  ['boolean', 'true or false'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
]);

/** The requirement on a setting, by the keyword of its schema that it breaks. */
const WANTED: Readonly<Record<string, (params: ErrorObject['params']) => string | undefined>> = {
  type: ({ type }) => TYPES.get(type),
  enum: ({ allowedValues }) => `one of ${allowedValues.join(', ')}`,
  minimum: ({ limit }) => `at least ${limit}`,
  maximum: ({ limit }) => `at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `above ${limit}`,
};

function describe(error: ErrorObject): string {
  const { keyword, params, message } = error;
  const wanted = WANTED[keyword]?.(params);
  return `${variableOf(error)} ${wanted === undefined ? message : `must be ${wanted}`}`;
}

/** Variables of Node.js and OpenTelemetry that look like settings of ours. */
const OTHERS = ['OTEL_TRACES_SAMPLER', 'OTEL_EXPORTER_OTLP_HEADERS'];

/**
 * Variables that are not settings, but resemble one: `WEBHOOK_CONCURENCY`, `webhook_concurrency`.
 * @returns a sentence for each, with what is probably meant.
 */
export function misspelled(env: Environment, further: FurtherSettings = NONE): string[] {
  const known = [...Object.values(SETTINGS), ...further.settings].map((setting) => setting.env);
  const taken = new Set([...known, ...OTHERS]);
  return Object.keys(env).flatMap((name) => {
    if (taken.has(name) || textIn(env, name) === undefined) return [];
    const meant = nearestName(name.toUpperCase().replaceAll('-', '_'), known);
    return meant === null ? [] : [`${name} is not a setting; did you mean ${meant}?`];
  });
}

/** The configuration as the boot log may show it: secrets masked, also those in addresses, unset values left out. */
export function masked<K extends SettingName>(config: Config<K>): Record<string, unknown> {
  const entries = (Object.keys(config) as K[]).filter((name) => config[name] !== undefined);
  return Object.fromEntries(entries.map((name) => [name, 'secret' in SETTINGS[name] ? '***' : shown(config[name])]));
}

/** A collector's address may have a user and a password. */
function shown(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/:\/\/[^/]*@/g, '://***@') : value;
}

const TEXTS = {
  queue: { outage: 'queue outage', notice: 'queue' },
  signals: { outage: 'signal outage', notice: 'signals' },
};

/** The settings of a process as `openQueue` and `openSignals` take them; errors and notices of the store are logged. */
export function storeOptions<C extends { queuePrefix: string }>(
  config: C,
  logger: Pick<Logger, 'info' | 'warn'>,
  part: keyof typeof TEXTS,
) {
  const { outage, notice } = TEXTS[part];
  return {
    ...config,
    prefix: config.queuePrefix,
    onError: (err: Error) => logger.warn({ err: err.message }, outage),
    onInfo: (text: string) => logger.info(`${notice}: ${text}`),
  };
}
