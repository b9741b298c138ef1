import { freeText } from '@pts/core/tracking/fields';
import type { Language } from '../site/page.ts';

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
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}>;

/** A field of a body or an answer; `events[].time` is one of an object in a list. */
export type Field = { name: string; type: string; required: boolean; limits: string[]; description: string };

/** The pattern of texts without control characters. */
const FREE_TEXT = freeText(0).pattern;

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** The type of a value in words: `string`, `integer or null`, `list of string`. */
export function typeOf({ type, items, enum: values, oneOf, anyOf, properties }: Schema): string {
  if (type === undefined) {
    const variants = oneOf ?? anyOf;
    if (variants) return [...new Set(variants.map(typeOf))].join(' or ');
    if (properties) return 'object';
    return values ? [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))].join(' or ') : 'any';
  }
  const types = [type].flat().map((one) => (one === 'array' && items ? `list of ${typeOf(items)}` : one));
  return types.join(' or ');
}

/** The limits of a value: its range, its length, its allowed values. */
export function limitsOf(schema: Schema, language: Language): string[] {
  const {
    enum: values,
    const: only,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    format,
    pattern,
  } = schema;
  const say = LIMITS[language];
  return [
    values ? say.oneOf(values.map(code)) : null,
    only === undefined ? null : say.always(code(only)),
    rangeOf(minimum, maximum, null, language),
    rangeOf(minLength, maxLength, 'characters', language),
    rangeOf(minItems, maxItems, 'entries', language),
    format ? say.format(code(format)) : null,
    pattern === FREE_TEXT ? say.freeText : pattern ? say.pattern(code(pattern)) : null,
    schema.default === undefined ? null : say.default(code(schema.default)),
    ...(schema.items && !schema.items.properties ? limitsOf(schema.items, language).map(say.each) : []),
  ].filter((text) => text !== null);
}

/** The fields of a schema, those of its objects and lists included. */
export function fieldsOf(schema: Schema, language: Language, prefix = '', seen: readonly Schema[] = []): Field[] {
  if (seen.includes(schema)) return [];
  const inside = [...seen, schema];
  const variants = schema.oneOf ?? schema.anyOf ?? [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    const required = (schema.required ?? []).includes(key);
    const line = {
      name,
      type: typeOf(field),
      required,
      limits: limitsOf(field, language),
      description: field.description ?? '',
    };
    return [line, ...fieldsOf(field, language, name, inside)];
  });
  const inList = schema.items ? fieldsOf(schema.items, language, `${prefix}[]`, inside) : [];
  const all = [...own, ...inList, ...variants.flatMap((variant) => fieldsOf(variant, language, prefix, inside))];
  // Variants share fields: each is listed once, and is required if all of them require it.
  return all
    .filter(({ name }, index) => all.findIndex((other) => other.name === name) === index)
    .map((field) => {
      const same = all.filter(({ name }) => name === field.name);
      const isAlways = same.length >= variants.length && same.every(({ required }) => required);
      return { ...field, required: isAlways };
    });
}

type Unit = 'characters' | 'entries';

const en = {
  oneOf: (values: readonly string[]) => `one of ${values.join(', ')}`,
  always: (value: string) => `always ${value}`,
  format: (name: string) => `format ${name}`,
  pattern: (pattern: string) => `pattern ${pattern}`,
  freeText: 'no control characters',
  default: (value: string) => `default ${value}`,
  each: (limit: string) => `each: ${limit}`,
  between: (least: number, most: number) => `${least} to ${most}`,
  exactly: (count: number) => `${count}`,
  atMost: (most: number) => `at most ${most}`,
  atLeast: (least: number) => `at least ${least}`,
  units: { characters: ' characters', entries: ' entries' } as Record<Unit, string>,
};
const zh: typeof en = {
  oneOf: (values) => `取值：${values.join('、')}`,
  always: (value) => `始终为 ${value}`,
  format: (name) => `格式 ${name}`,
  pattern: (pattern) => `须匹配 ${pattern}`,
  freeText: '不含控制字符',
  default: (value) => `默认 ${value}`,
  each: (limit) => `每项：${limit}`,
  between: (least, most) => `${least} 到 ${most}`,
  exactly: (count) => `${count}`,
  atMost: (most) => `最多 ${most}`,
  atLeast: (least) => `至少 ${least}`,
  units: { characters: ' 个字符', entries: ' 项' },
};

/** How the reference says what a value may be. */
const LIMITS: Readonly<Record<Language, typeof en>> = { en, zh };

/** A range of numbers or, with a unit, of a length; null for none. */
function rangeOf(
  least: number | undefined,
  most: number | undefined,
  unit: Unit | null,
  language: Language,
): string | null {
  const say = LIMITS[language];
  const end = unit === null ? '' : say.units[unit];
  if (least !== undefined && most !== undefined)
    return (least === most ? say.exactly(least) : say.between(least, most)) + end;
  if (most !== undefined) return say.atMost(most) + end;
  return least === undefined || (least === 0 && unit !== null) ? null : say.atLeast(least) + end;
}
