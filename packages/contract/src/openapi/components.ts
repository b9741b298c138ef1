import { STATUSES, type Status } from '@pts/core/tracking/status';

type Schema = Readonly<Record<string, unknown>>;

/** Names of the Chinese statuses for generated code, and what they mean. */
const STATUS_NAMES: Readonly<Record<Status, readonly [name: string, meaning: string]>> = {
  查询中: ['Querying', 'Registered, or on its way'],
  派送中: ['OutForDelivery', 'Out for delivery, or ready to be picked up'],
  已签收: ['Delivered', 'Delivered'],
  异常: ['Exception', 'An exception, undeliverable or returned'],
};

/** Some code generators have a keyword of their own. */
const STATUS_KEYWORDS = {
  'x-enum-varnames': STATUSES.map((status) => `Status${STATUS_NAMES[status][0]}`),
  'x-enumNames': STATUSES.map((status) => STATUS_NAMES[status][0]),
  'x-enum-descriptions': STATUSES.map((status) => STATUS_NAMES[status][1]),
};

/** Keywords whose values are data, not schemas. */
const DATA = ['default', 'example', 'examples'];

/** Collects the schemas that a document refers to by name. */
export type References = {
  /** The schema with a reference instead of each schema that has a title. */
  refer(schema: object): object;
  /** Every schema referred to so far, by its title. */
  schemas(): Record<string, object>;
};

/**
 * A schema with a title is a component of that name, so generated code names its types as we do.
 * @throws an Error when two different schemas have the same title.
 */
export function createReferences(): References {
  const sources = new Map<string, Schema>();
  const components = new Map<string, object>();

  function walk(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    if (Array.isArray(node)) return node.map(walk);
    const { title } = node as Schema;
    if (typeof title !== 'string') return inside(node);
    const known = sources.get(title);
    if (known === undefined) {
      sources.set(title, node as Schema);
      components.set(title, { ...inside(node), ...namesOfValues(node as Schema), ...discriminatorOf(node as Schema) });
    } else if (known !== node && JSON.stringify(known) !== JSON.stringify(node)) {
      throw new Error(`Two schemas have the title ${title}. Give one of them another.`);
    }
    return { $ref: referenceTo(title) };
  }

  function inside({ documented, ...checked }: { documented?: object }): object {
    return Object.fromEntries(
      Object.entries({ ...checked, ...documented }).map(([key, value]) => [
        key,
        DATA.includes(key) ? value : walk(value),
      ]),
    );
  }

  return {
    refer: (schema) => walk(schema) as object,
    schemas: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/**
 * Names for the values of an enumeration. In Go, constants of a package share one namespace, so each begins with the
 * name of its type.
 */
function namesOfValues({ title, enum: values }: Schema): object {
  if (!Array.isArray(values)) return {};
  if (title === 'Status') return STATUS_KEYWORDS;
  return {
    'x-enum-varnames': values.map((value) => `${title}${pascalCase(String(value).replace(/^-/, 'minus_')) || 'Empty'}`),
  };
}

/** `TrackingUpdate` of `tracking_update`. */
export function pascalCase(words: string): string {
  return words.replaceAll(/(?:^|[^A-Za-z0-9])+(\w?)/g, (_all, letter: string) => letter.toUpperCase());
}

function referenceTo(title: string): string {
  return `#/components/schemas/${title}`;
}

type Variant = { title: string; properties: Readonly<Record<string, { enum?: readonly string[] }>> };

/** Alternatives with a discriminator property: each allows a single value for it, its first one. */
function discriminatorOf({ oneOf }: Schema): object {
  const variants = (oneOf ?? []) as readonly Variant[];
  const [propertyName] = Object.keys(variants[0]?.properties ?? {});
  if (propertyName === undefined) return {};
  const mapping = variants.map(({ title, properties }) => [properties[propertyName]?.enum?.[0], referenceTo(title)]);
  return { discriminator: { propertyName, mapping: Object.fromEntries(mapping) } };
}

/** Response headers. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'Identifies this request in our logs; quote it in support requests. A plain id of your own is kept.',
    schema: { type: 'string', examples: ['0c6c5f4e-2a65-4d0a-9a0e-3f0f8a1d7b52'] },
  },
  'RateLimit-Limit': {
    description: 'Requests per second that this limit allows. Absent if the installation has no limits.',
    schema: { type: 'integer', examples: [3] },
  },
  'RateLimit-Remaining': {
    description: 'Requests left in the current window.',
    schema: { type: 'integer', examples: [2] },
  },
  'RateLimit-Reset': {
    description:
      'Seconds until the current window ends. After a 429, wait for `Retry-After` instead: waiting only for this header hits the limit again.',
    schema: { type: 'integer', examples: [1] },
  },
  'Retry-After': {
    description:
      'Seconds to wait before the next try: 120 after a 429, the rest of the hour after a 4113, some seconds after a 409 for a request that is still running.',
    schema: { type: 'integer', examples: [120] },
  },
  'Idempotency-Replayed': {
    description:
      'Present if the request was not carried out again: this is the response of the first with its `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  Link: {
    description: 'The page about the error, the same as `data.docs_url`.',
    schema: { type: 'string', examples: ['<https://api.example.com/docs/errors/4110>; rel="help"'] },
  },
  ETag: {
    description: 'Changes when the response changes. Send it as `If-None-Match` to get 304 while it has not.',
    schema: { type: 'string', examples: ['"q5S0V1sQn1Jm2tVb3uYk7w"'] },
  },
} as const;
export type HeaderName = keyof typeof HEADERS;

export const LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] as const;

/** References to headers, for a response. */
export function headerRefs(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
