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
  /** Checks beyond the schema: the fault as the end of a sentence, or null. It never shows a part of a secret. */
  fault?(text: string, env: Environment): string | null;
  /** Converts the text of the variable; called after the schema check. */
  read(text: string): T;
};

type More<T> = Pick<Setting<T>, 'fallback' | 'secret' | 'fault'> & { schema?: Record<string, unknown> };

/** The checks of an address over HTTP. */
export const HTTP_URL = {
  fault: (url: string) =>
    /^https?:\/\//.test(url) && URL.canParse(url) ? null : 'is not a URL, such as https://example.com',
};

/** What `isWellEncoded` asks for, as the end of a sentence. */
export const ENCODED_FORM =
  'special characters of its user, password and path must be percent-encoded (@ as %40, # as %23, / as %2F, ? as %3F, % as %25)';

/**
 * Whether the parts of an address with credentials are where they seem to be. Otherwise a part of the password is taken for
 * the host, and appears wherever the host is named.
 */
export function isWellEncoded(url: string): boolean {
  const [scheme = '', ...afterScheme] = url.split('://');
  const address = afterScheme.join('://');
  if (!/^[a-z+]{1,20}$/i.test(scheme) || address.includes('#')) return false;
  const end = address.search(/[/?]/);
  const [authority, rest] = end === -1 ? [address, ''] : [address.slice(0, end), address.slice(end)];
  return authority.split('@').length <= 2 && !rest.includes('@') && isDecodable(authority);
}

/** Whether each percent sign begins the code of a character. */
export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The text of a variable; undefined when it is not set. An empty variable counts as unset. */
export function textIn(env: Environment, variable: string): string | undefined {
  return env[variable]?.trim() || undefined;
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

/** @param maximum the most that makes sense: a larger value is a wrong unit or a slip of the finger. */
export function integer(
  env: string,
  about: string,
  fallback: number,
  minimum: number,
  maximum: number,
): Setting<number> & { fallback: number } {
  return { env, about, fallback, schema: { type: 'integer', minimum, maximum }, read: Number };
}

/** A number that may have decimals, above 0. */
export function decimal(
  env: string,
  about: string,
  fallback: number,
  maximum: number,
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
