import { FIELDS } from '@pts/core/imports';
import fc from 'fast-check';

type Schema = {
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  pattern?: string;
};

const NUMBERS = [
  'PTS1DELIVERED',
  'PTS2TRANSIT',
  'YT8962646785999',
  'SF1234567890',
  'LX123456785CN',
  '1Z999AA10123456784',
];
const number = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.nat(29).map((n) => `PTS${n}TRANSIT`),
  fc.constantFrom(...NUMBERS).map((text) => ` ${text.toLowerCase().split('').join('-')} `),
);
const instants = fc
  .date({ min: new Date('2025-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })
  .map((date) => `${date.toISOString().slice(0, 19)}Z`);

/** Cursors in valid formats that no response ever contained. */
const CURSORS = [
  '0.0',
  '9999999999999999999.9999999999999999999',
  '999999999999999.691f0a3c5d2b4e6f8a9c0d1e',
  '-1.x',
].map((text) => Buffer.from(text).toString('base64url'));

const cursor = fc.oneof(
  { weight: 4, arbitrary: fc.constant('$cursor') },
  { weight: 1, arbitrary: fc.constantFrom(...CURSORS) },
);

/**
 * Valid values of fields that their schema does not fully describe; `$names` stand for what the account has when the
 * request is sent.
 */
const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  tracking_number: number,
  tracking_numbers: fc.array(number, { minLength: 1, maxLength: 5 }).map((numbers) => numbers.join(',')),
  courier_code: fc.constantFrom('auto', 'yto', 'zto', 'YTO', ''),
  id: fc.constantFrom('$own', '$own', '$own', '$own', '$tracking', '$webhook'),
  ids: fc.constantFrom('', '$tracking', '$tracking,$tracking'),
  status: fc.constantFrom('派送中', '查询中', 'in_transit', ''),
  q: fc.constantFrom('PTS1', 'yt 89-62', '外套', 'a', ''),
  carrier: fc.constantFrom('yto', 'SANDBOX', 'nope', ''),
  ...Object.fromEntries(
    ['created_after', 'created_before', 'updated_after', 'updated_before'].map((name) => [name, instants]),
  ),
  webhook_id: fc.constant('$webhook'),
  email: fc.nat(9).map((n) => `member${n}@example.com`),
  order_id: fc.constantFrom('$order', '$order', 'Order 1001', '订单'),
  replay_id: fc.constant('$replay'),
  message_id: fc.constant('$message'),
  cursor,
  after: fc.oneof(cursor, fc.constantFrom('latest', '')),
  before: cursor,
  url: fc.constantFrom('$hook', '$hook?a=1', '$hook?b=快', 'http://127.0.0.1:1024/'),
  expires_at: fc.oneof(
    { weight: 3, arbitrary: fc.constant('2099-01-01T00:00:00Z') },
    { weight: 1, arbitrary: instants },
  ),
  networks: fc.constantFrom<string[]>([], ['10.0.0.0/8', '2001:db8::1'], ['10.0.0.0/40']),
  since: fc.oneof({ weight: 3, arbitrary: fc.constant('$since') }, { weight: 1, arbitrary: instants }),
  until: fc.oneof({ weight: 3, arbitrary: fc.constant('$until') }, { weight: 1, arbitrary: instants }),
};

const column = fc.constantFrom('1', '-', 'tracking_number', 'nothing');
for (const field of FIELDS) BY_NAME[`${field}_column`] = column;

/** Texts that databases refuse or misinterpret. */
const UNSTORABLE = ['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\udc00\ud800', '\u0000'.repeat(100)];
/** Texts that are known to break software. */
// biome-ignore format: one kind per line is readable as a table
const BREAKERS = [
  '', ' ', '\ufeff', '\u202eabc', '快😀', '\r\nX: y', '\u007f', '\u0085', '%00', '%', '\\', '{}', '[]', '<script>',
  '__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN', 'true', '-1', '0', '1e999', '9'.repeat(30), '0x10',
  "' OR 1=1 --", '"; DROP TABLE trackings', "E'\\x00'", '../../etc/passwd', 'a'.repeat(5000), '快'.repeat(300),
  '0'.repeat(24), 'f'.repeat(24), 'F'.repeat(24), '9223372036854775807', '9223372036854775808', '999999999999999999',
  '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '2025-02-30T25:61:61Z', '+275760-09-13T00:00:00.000Z',
];
export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...UNSTORABLE) },
  { weight: 3, arbitrary: fc.constantFrom(...BREAKERS) },
  { weight: 1, arbitrary: fc.constantFrom(...CURSORS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      ...[null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 53, [], {}, [[]], [null], { a: { a: { a: {} } } }],
    ),
  },
  fc.array(fc.oneof(hostileText, fc.constantFrom(null, 1, [], {})), { maxLength: 60 }),
  fc.dictionary(hostileText, hostileText, { maxKeys: 15 }),
  fc.jsonValue({ maxDepth: 4 }),
);

/** Values that match a request schema and are mostly meaningful. */
export function fitting(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const { type, anyOf, properties, items, pattern } = schema;
  const named = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  if (Array.isArray(type)) return fc.oneof(...type.map((one: string) => fitting({ ...schema, type: one }, name)));
  if (named && type === 'string') return named;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (anyOf) return fc.oneof(...anyOf.map((one) => fitting(one, name)));
  if (type === 'array')
    return fc.array(fitting(items ?? {}, singular(name)), { minLength: schema.minItems ?? 0, maxLength: 8 });
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'integer') return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 });
  if (type === 'string' && pattern?.startsWith('^[^'))
    return fc.string({ unit: 'grapheme', maxLength: Math.min(30, schema.maxLength ?? 30) }).map(printable);
  if (type === 'string' && pattern) return fc.stringMatching(new RegExp(pattern));
  if (type === 'string') return fc.string({ maxLength: Math.min(20, schema.maxLength ?? 20) });
  if (properties) return record(schema, properties);
  if (schema.additionalProperties)
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,10}$/), fitting(schema.additionalProperties), { maxKeys: 5 });
  return fc.constant({});
}

function record({ required = [] }: Schema, properties: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, fitting(schema, name)]));
  return fc.record(model, { requiredKeys: required as string[] });
}

function singular(name: string): string {
  return name === 'tracking_numbers' ? 'tracking_number' : '';
}

function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed
  return text.replace(/[\u0000-\u001f\u007f]/g, '');
}

/** Values with wrong, missing or extra parts. */
export function nearlyFitting(schema: Schema): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fitting(schema),
      fc.array(fc.tuple(fc.nat(), fc.nat(4), hostileText, hostileValue), { minLength: 1, maxLength: 3 }),
    )
    .map(([value, changes]) =>
      changes.reduce((changed, [place, kind, key, put]) => mutate(changed, place, kind, key, put), value),
    );
}

function mutate(value: unknown, place: number, kind: number, key: string, put: unknown): unknown {
  if (typeof value !== 'object' || value === null) return put;
  const entries: [string, unknown][] = Object.entries(value);
  if (kind === 0 || entries.length === 0) return rebuilt(value, [...entries, [key, put]]);
  const at = place % entries.length;
  if (kind === 1)
    return rebuilt(
      value,
      entries.filter((_, i) => i !== at),
    );
  const change = (inner: unknown) => (kind === 2 ? mutate(inner, place, kind, key, put) : put);
  return rebuilt(
    value,
    entries.map(([name, inner], i) => [name, i === at ? change(inner) : inner]),
  );
}

function rebuilt(like: object, entries: [string, unknown][]): unknown {
  return Array.isArray(like) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}
