import { CONTRACTS } from '@pts/contract/contracts';
import { openApiDocument, rulesOf } from '@pts/contract/openapi/document';
import { described, type Operation, TAGS, type Tag, templateOf } from '@pts/contract/operation';
import { type OperationId, ROUTES } from '@pts/contract/routes';
import manifest from '../../package.json' with { type: 'json' };
import { type Language, textsIn } from '../site/page.ts';
import { english } from '../text/render.ts';
import CHINESE from './zh.json' with { type: 'json' };

/** An operation with its name in the portal's addresses, and the file of its contract. */
export type Described = Operation & { id: OperationId; file: string };

const ORDER = Object.keys(ROUTES);

/**
 * Every operation of the API, in the order in which a reader meets them. A test compares them with those that it
 * serves.
 */
export const OPERATIONS: readonly Described[] = CONTRACTS.map(({ contract, file }) => ({
  ...described(contract),
  id: contract.doc.id as OperationId,
  file,
})).sort((a, b) => ORDER.indexOf(a.id) - ORDER.indexOf(b.id));

/** The groups of the reference, without those that have no operations. */
export function groups(): { tag: Tag; operations: Described[] }[] {
  return (Object.keys(TAGS) as Tag[])
    .map((tag) => ({ tag, operations: OPERATIONS.filter(({ doc }) => doc.tag === tag) }))
    .filter(({ operations }) => operations.length > 0);
}

/** The operation that a method and a path in a text name: `POST /trackings/create`, with or without /api/v1. */
export function operationNamed(text: string): Described | undefined {
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (?:\/api\/v1)?(\/[\w/.{}-]+)(?:\?.*)?$/.exec(text) ?? [];
  const named = path?.replace(/\{\w+\}/g, ':');
  return OPERATIONS.find(
    (operation) => operation.method === method?.toLowerCase() && operation.path.replace(/:\w+/g, ':') === named,
  );
}

/** The version that the portal describes. */
export const VERSION = manifest.version;

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
type Content = Readonly<Record<string, { schema?: Schema; example?: unknown }>>;
type Response = { description?: string; content?: Content };

/** An operation or a push as the OpenAPI document describes it, with each reference replaced by what it refers to. */
export type Reference = {
  summary?: string;
  description: string;
  parameters?: readonly Parameter[];
  requestBody?: { required: boolean; content: Content };
  /** An operation shows only its successful answers: errors have pages of their own. */
  responses: Readonly<Record<string, Response>>;
};

const DOCUMENT = openApiDocument(OPERATIONS, { version: VERSION });

/** An operation with its texts in a language. */
export function referenceOf(operation: Described, language: Language): Reference {
  const { path, method, doc } = operation;
  const { responses = {}, ...described } = DOCUMENT.paths[templateOf(path)]?.[method] ?? {};
  const success = Object.fromEntries(Object.entries(responses).slice(0, 1));
  // In one paragraph, each on a line of its own.
  const rules = rulesOf(operation, OPERATIONS)
    .map((rule) => rule.in(language))
    .join('  \n');
  return {
    ...(inlined({ ...described, responses: success }, language) as Reference),
    description: [doc.description === undefined ? [] : inWords(doc.description, language), rules].flat().join('\n\n'),
  };
}

/** The content of an operation's answer, by media type. */
export function answersOf({ responses }: Reference): [type: string, { schema?: Schema; example?: unknown }][] {
  return Object.values(responses).flatMap(({ content = {} }) => Object.entries(content));
}

/** The kinds of pushes, each described in a language. */
export const PUSHES = Object.entries(DOCUMENT.webhooks).map(
  ([event, webhook]) =>
    [event, (language: Language) => (inlined(webhook, language) as { post: Reference }).post] as const,
);

/**
 * A part of the document without references, and with its texts in a language. What stands next to a reference replaces
 * what it refers to.
 */
function inlined(node: unknown, language: Language): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((one) => inlined(one, language));
  const { $ref, ...own } = node as { $ref?: string };
  const [, , kind = '', name = ''] = $ref?.split('/') ?? [];
  const target = $ref ? (DOCUMENT.components[kind] as Record<string, object>)[name] : {};
  return Object.fromEntries(
    Object.entries({ ...target, ...own }).map(([key, value]) => {
      if (key === 'example' || (key === 'examples' && Array.isArray(value))) return [key, value];
      const isText = typeof value === 'string' && (key === 'summary' || key === 'description');
      return [key, isText ? inWords(value, language) : inlined(value, language)];
    }),
  );
}

/** A text of the document in a language. Where the Chinese is missing, which a test reports, it stays English. */
function inWords(text: string, language: Language): string {
  if (language === 'en') return text;
  const table: Readonly<Record<string, string>> = CHINESE;
  return text
    .split('\n\n')
    .map((paragraph) => table[paragraph] ?? english(paragraph))
    .join('\n\n');
}

/** A JSON Schema, as far as the contract uses it. */
export type Schema = Readonly<{
  title?: string;
  type?: string | readonly string[];
  description?: string;
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  required?: readonly string[];
  items?: Schema;
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}>;

/** A field of a body or an answer, with the fields of its object or of the objects in its list. */
export type Field = {
  name: string;
  type: string;
  required: boolean;
  limits: string[];
  description: string;
  fields: Field[];
};

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** The type of a value in words: `string`, `integer or null`, `list of string`. */
export function typeOf({ type, items, enum: values, oneOf, anyOf, properties }: Schema, language: Language): string {
  const { list, or, any } = textsIn(TYPES, language);
  if (type === undefined) {
    const variants = oneOf ?? anyOf;
    if (variants) return [...new Set(variants.map((variant) => typeOf(variant, language)))].join(or);
    if (properties) return 'object';
    return values ? [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))].join(or) : any;
  }
  const types = [type]
    .flat()
    .map((one) => (one === 'array' && items ? list.replace('#', typeOf(items, language)) : one));
  return types.join(or);
}

/** How the reference names types. */
const TYPES = {
  list: { en: 'list of #', zh: '# 列表' },
  or: { en: ' or ', zh: ' 或 ' },
  any: { en: 'any', zh: '任意类型' },
} as const;

/** The limits of a value: its range, its length, its allowed values. Patterns are left to descriptions. */
export function limitsOf(schema: Schema, language: Language): string[] {
  const { enum: values, const: only, minimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  const say = textsIn(LIMITS, language);
  const put = (text: string, ...parts: unknown[]) =>
    parts.reduce<string>((said, part) => said.replace('#', () => String(part)), text);
  const range = (least?: number, most?: number, unit = '') => {
    if (least !== undefined && most !== undefined)
      return (least === most ? `${most}` : put(say.between, least, most)) + unit;
    if (most !== undefined) return put(say.atMost, most) + unit;
    if (least === undefined || (least === 0 && unit !== '')) return null;
    return least === 1 && unit !== '' ? say.notEmpty : put(say.atLeast, least) + unit;
  };
  return [
    values ? put(say.oneOf, values.map(code).join(language === 'en' ? ', ' : '、')) : null,
    only === undefined ? null : put(say.always, code(only)),
    range(minimum, maximum),
    range(minLength, maxLength, say.characters),
    range(minItems, maxItems, say.entries),
    format ? put(say.format, code(format)) : null,
    schema.default === undefined ? null : put(say.default, code(schema.default)),
    ...(schema.items && !schema.items.properties
      ? limitsOf(schema.items, language).map((limit) => put(say.each, limit))
      : []),
  ].filter((text) => text !== null);
}

/** How the reference says what a value may be. */
const LIMITS = {
  oneOf: { en: 'one of #', zh: '取值：#' },
  always: { en: 'always #', zh: '始终为 #' },
  format: { en: 'format #', zh: '格式 #' },
  default: { en: 'default #', zh: '默认 #' },
  each: { en: 'each: #', zh: '每项：#' },
  between: { en: '# to #', zh: '# 到 #' },
  atMost: { en: 'at most #', zh: '最多 #' },
  atLeast: { en: 'at least #', zh: '至少 #' },
  notEmpty: { en: 'not empty', zh: '不能为空' },
  characters: { en: ' characters', zh: ' 个字符' },
  entries: { en: ' entries', zh: ' 项' },
} as const;

/** The fields of a schema, or of the objects in its list. Variants share a list: each field is in it once. */
export function fieldsOf(schema: Schema, language: Language, seen: readonly Schema[] = []): Field[] {
  if (seen.includes(schema)) return [];
  const inside = [...seen, schema];
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    type: typeOf(field, language),
    required: (schema.required ?? []).includes(name),
    limits: limitsOf(field, language),
    description: field.description ?? '',
    fields: fieldsOf(field, language, inside),
  }));
  const inList = schema.items ? fieldsOf(schema.items, language, inside) : [];
  const variants = (schema.oneOf ?? schema.anyOf ?? []).map((variant) => fieldsOf(variant, language, inside));
  const all = [...own, ...inList, ...variants.flat()];
  return all
    .filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
    .map((field) => {
      const same = all.filter(({ name }) => name === field.name);
      return { ...field, required: same.length >= variants.length && same.every(({ required }) => required) };
    });
}
