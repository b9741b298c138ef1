/** The environment of a process, as its `main.ts` hands it on. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: its environment variable, its schema and its purpose. */
export type Setting<T> = {
  env: string;
  schema: Record<string, unknown>;
  about: string;
  /** Absent: the setting is required. */
  fallback?: T;
  /** Never logged. */
  secret?: true;
  /** Checks beyond the schema: the fault as the end of a sentence, or null. */
  fault?(text: string): string | null;
  /** Converts the text of the variable; called after the schema check. */
  read(text: string): T;
};

type More<T> = Pick<Setting<T>, 'fallback' | 'secret' | 'fault'> & { schema?: Record<string, unknown> };

/** The checks of an address over HTTP. */
export const HTTP_URL = {
  fault: (url: string) =>
    /^https?:\/\//.test(url) && URL.canParse(url) ? null : 'is not a URL, such as https://example.com',
};

/** The text of a variable; undefined when it is not set. An empty variable counts as unset. */
export function textIn(env: Environment, variable: string): string | undefined {
  return env[variable]?.trim() || undefined;
}

/** The value of a setting that has a fallback, in an environment that has been checked. */
export function valueIn<T>(env: Environment, setting: Setting<T> & { fallback: T }): T {
  const given = textIn(env, setting.env);
  return given === undefined ? setting.fallback : setting.read(given);
}

export function text(env: string, about: string, more: More<string> = {}): Setting<string> {
  return { env, about, read: (value) => value, ...more, schema: { type: 'string', ...more.schema } };
}

export function optionalText(
  env: string,
  about: string,
  more: Omit<More<string>, 'fallback'> = {},
): Setting<string | undefined> & { fallback: undefined } {
  return {
    env,
    about,
    read: (value) => value,
    ...more,
    fallback: undefined,
    schema: { type: 'string', ...more.schema },
  };
}

export function integer(
  env: string,
  about: string,
  fallback: number,
  minimum = 0,
  maximum = 2_147_483_647,
): Setting<number> & { fallback: number } {
  return { env, about, fallback, schema: { type: 'integer', minimum, maximum }, read: Number };
}

/** A number that may have decimals, above 0. */
export function decimal(
  env: string,
  about: string,
  fallback: number,
  maximum = 2_147_483_647,
): Setting<number> & { fallback: number } {
  return { env, about, fallback, schema: { type: 'number', exclusiveMinimum: 0, maximum }, read: Number };
}

export function flag(env: string, about: string, fallback: boolean): Setting<boolean> {
  return { env, about, fallback, schema: { type: 'boolean' }, read: (value) => value === 'true' };
}

export function list(env: string, about: string): Setting<string[]> {
  return { env, about, fallback: [], schema: { type: 'string' }, read: readList };
}

/** Port numbers, separated by commas. */
export function ports(env: string, about: string): Setting<number[]> {
  const isPort = (part: string) => /^\d{1,5}$/.test(part) && Number(part) >= 1 && Number(part) <= 65_535;
  const fault = (value: string) => {
    const wrong = readList(value).find((part) => !isPort(part));
    return wrong === undefined ? null : `has "${wrong}", which is not a port from 1 to 65535`;
  };
  return { env, about, fallback: [], schema: { type: 'string' }, fault, read: (value) => readList(value).map(Number) };
}

/** The parts of a comma-separated text, without the empty ones. */
export function readList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
