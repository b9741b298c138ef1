import { Ajv, type ErrorObject } from 'ajv';
import { SETTINGS, type Setting, type SettingName, type Settings } from './settings.ts';

type ValueOf<S> = S extends Setting<infer T> ? T : never;
export type Config<K extends SettingName> = { readonly [P in K]: ValueOf<Settings[P]> };

/** The environment is not fit to start with; the message lists every fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads the settings a process needs from the environment, once, at boot. An empty variable counts as unset.
 * @throws ConfigError that lists every fault, each with its variable.
 */
export function loadConfig<K extends SettingName>(env: NodeJS.ProcessEnv, names: readonly K[]): Config<K> {
  const given = present(env, names);
  const faults = [...missing(given, names), ...invalid(given, names), ...faulty(given, names)];
  if (faults.length > 0)
    throw new ConfigError(`The configuration is not valid:\n${faults.map((f) => `  ${f}`).join('\n')}`);
  const values = names.map((name) => {
    const setting = SETTINGS[name];
    const text = given[setting.env];
    return [name, text === undefined ? setting.fallback : setting.read(text)];
  });
  return Object.freeze(Object.fromEntries(values)) as Config<K>;
}

function present(env: NodeJS.ProcessEnv, names: readonly SettingName[]): Record<string, string> {
  const entries = names.map((name) => [SETTINGS[name].env, env[SETTINGS[name].env]?.trim()] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => !!entry[1]));
}

function missing(given: Record<string, string>, names: readonly SettingName[]): string[] {
  return names
    .map((name) => SETTINGS[name])
    .filter((setting) => !('fallback' in setting) && given[setting.env] === undefined)
    .map((setting) => `${setting.env} is missing: ${setting.about}`);
}

// With strict numbers Ajv would not hold Infinity against a maximum.
const ajv = new Ajv({ allErrors: true, coerceTypes: true, strict: true, strictNumbers: false });

function invalid(given: Record<string, string>, names: readonly SettingName[]): string[] {
  const properties = Object.fromEntries(names.map((name) => [SETTINGS[name].env, SETTINGS[name].schema]));
  const validate = ajv.compile({ type: 'object', properties });
  // Ajv coerces in place: the copy keeps the texts.
  return validate({ ...given }) ? [] : (validate.errors ?? []).map(describe);
}

/** What a schema cannot say. A text that its schema refuses has been told by then. */
function faulty(given: Record<string, string>, names: readonly SettingName[]): string[] {
  return names.flatMap((name) => {
    const { env, fault }: Setting<unknown> = SETTINGS[name];
    const text = given[env];
    const found = text === undefined || invalid({ [env]: text }, [name]).length > 0 ? null : fault?.(text);
    return found ? [`${env} ${found}`] : [];
  });
}

function describe(error: ErrorObject): string {
  const allowed = error.keyword === 'enum' ? `: ${(error.params.allowedValues as string[]).join(', ')}` : '';
  return `${error.instancePath.slice(1)} ${error.message}${allowed}`;
}

/** The configuration as the boot log may show it: secrets masked, unset values left out. */
export function masked<K extends SettingName>(config: Config<K>): Record<string, unknown> {
  const entries = (Object.keys(config) as K[]).filter((name) => config[name] !== undefined);
  return Object.fromEntries(entries.map((name) => [name, 'secret' in SETTINGS[name] ? '***' : config[name]]));
}
