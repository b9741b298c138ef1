import { id } from '@pts/contract/common';
import { type ErrorName, type Fault, ServiceError } from '@pts/core/errors';
import { message } from '@pts/core/languages/message';
import { freeText } from '@pts/core/tracking/fields';
import { textMatching } from '@pts/testing/text-matching';
import { operations } from '../endpoints/index.ts';
import { createResponseCheck, createValidator, type FurtherFaults } from './validate.ts';

const SCHEMA = {
  type: 'object',
  required: ['tracking_number', 'url'],
  properties: {
    tracking_number: { type: 'string' },
    tracking_numbers: { type: 'array', items: { type: 'string' } },
    url: { type: 'string', maxLength: 10 },
    events: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1, examples: [['a', 'b']] },
    flag: { type: 'boolean' },
    country: { type: 'string', pattern: '^[A-Z]{2}$', examples: ['CN'] },
    title: { type: ['string', 'null'], pattern: freeText(1).pattern },
    code: { type: 'string', pattern: '^[a-z]+$' },
    courier_code: { type: 'string', maxLength: 5 },
    id: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 200 },
    metadata: {
      type: 'object',
      maxProperties: 2,
      propertyNames: { maxLength: 5 },
      additionalProperties: { type: 'string', maxLength: 3 },
    },
  },
} as const;
const validate = createValidator(SCHEMA);
const STORABLE = 'must not contain NUL characters or unpaired surrogates';
const GOOD = { tracking_number: 'SF1234567890', url: 'https://a' };

const refusal = (input: unknown, further?: FurtherFaults) => refusedBy(validate, input, further);

function refusedBy(check: Check, input: unknown, further?: FurtherFaults): ServiceError {
  try {
    check(input, further);
  } catch (error) {
    expect(error).toBeInstanceOf(ServiceError);
    return error as ServiceError;
  }
  throw new Error('the input was accepted');
}

type Check = (input: unknown, further?: FurtherFaults) => unknown;

test.each<[string, unknown]>([
  ['what is required', GOOD],
  [
    'all there is',
    { ...GOOD, events: ['a', 'b'], country: 'CN', limit: 200, metadata: { a: 'b' }, tracking_numbers: [] },
  ],
  ['unknown fields', { ...GOOD, colour: 'red', nested: { a: [1] } }],
  ['whole characters of any kind', { tracking_number: 'SF1234567890', url: '快😀' }],
  ['another spelling of a field', { ...GOOD, Url: 'b', courierCode: 'zto', event: ['a'] }],
  ['a NUL in an unknown field', { ...GOOD, colour: '\u0000' }],
  ['empty texts', { tracking_number: '', url: '' }],
])('%s is accepted unchanged', (_what, input) => {
  const before = structuredClone(input);
  expect(() => validate(input)).not.toThrow();
  expect(input).toEqual(before);
});

test.each<[string, unknown]>([
  ['a list', []],
  ['a list', [GOOD]],
  ['a string', 'SF1234567890'],
  ['a number', 7],
  ['null', null],
  ['a boolean', true],
])('%s instead of an object is a malformed request', (kind, input) => {
  expect(refusal(input)).toMatchObject({
    error: 'bad_request',
    message: `The request body must be a JSON object, not ${kind}.`,
    fields: [],
  });
});

// biome-ignore format: one fault per line is readable as a table
test.each<[string, Record<string, unknown>, ErrorName, { field: string; message: string }]>([
  ['a number that is missing', { tracking_number: undefined }, 'number_missing', { field: 'tracking_number', message: 'is missing' }],
  ['a tracking number that is not a string', { tracking_number: 123456789012 }, 'invalid_number', { field: 'tracking_number', message: 'must be a string, in quotes: a JSON number loses leading zeros and the last digits of long numbers' }],
  ['a tracking number under another name', { tracking_number: undefined, trackingNumber: 'SF1' }, 'number_missing', { field: 'tracking_number', message: 'is missing: send it under this name, not as trackingNumber' }],
  ['a number that is null', { tracking_number: null }, 'invalid_number', { field: 'tracking_number', message: 'must be a string' }],
  ['tracking numbers that are not a list', { tracking_numbers: 'SF1' }, 'invalid_number', { field: 'tracking_numbers', message: 'must be an array, such as ["...", "..."]' }],
  ['another field that is missing', { url: undefined }, 'invalid_field', { field: 'url', message: 'is missing' }],
  ['a wrong type', { url: 7 }, 'invalid_field', { field: 'url', message: 'must be a string: put it in quotes' }],
  ['too long a text', { url: 'https://abc' }, 'invalid_field', { field: 'url', message: 'must have at most 10 characters' }],
  ['an unknown value', { events: ['a', 'ping'] }, 'invalid_field', { field: 'events.1', message: 'must be one of a, b' }],
  ['an empty list', { events: [] }, 'invalid_field', { field: 'events', message: 'must not be empty' }],
  ['a format that is not allowed', { country: 'China' }, 'invalid_field', { field: 'country', message: 'must have the format of CN' }],
  ['a form without an example', { code: '7' }, 'invalid_field', { field: 'code', message: 'contains characters that are not allowed, or has the wrong format' }],
  ['a control character', { title: 'a\tb' }, 'invalid_field', { field: 'title', message: 'must not contain control characters such as NUL, tab or line break' }],
  ['one of two types', { title: 7 }, 'invalid_field', { field: 'title', message: 'must be a string or null: put it in quotes' }],
  ['a NUL', { url: 'a\u0000' }, 'invalid_field', { field: 'url', message: STORABLE }],
  ['half a character', { url: 'a\ud83d' }, 'invalid_field', { field: 'url', message: STORABLE }],
  ['a NUL in a number', { tracking_number: 'SF1234567890\u0000' }, 'invalid_number', { field: 'tracking_number', message: STORABLE }],
  ['a NUL in a nested value', { metadata: { a: '\u0000' } }, 'invalid_field', { field: 'metadata', message: STORABLE }],
  ['a NUL in the name of an entry', { metadata: { '\u0000': '' } }, 'invalid_field', { field: 'metadata', message: STORABLE }],
  ['an id that is not a string', { id: 7 }, 'invalid_id', { field: 'id', message: 'must be a string: put it in quotes' }],
  ['a fraction', { limit: 1.5 }, 'invalid_field', { field: 'limit', message: 'must be an integer' }],
  ['a number as a text', { limit: '5' }, 'invalid_field', { field: 'limit', message: 'must be an integer: send it without quotes' }],
  ['a flag as a text', { flag: 'true' }, 'invalid_field', { field: 'flag', message: 'must be a boolean: true or false, without quotes' }],
  ['one entry in place of a list', { events: 'a' }, 'invalid_field', { field: 'events', message: 'must be an array, such as ["a","b"]' }],
  ['a list in place of one entry', { url: ['a'] }, 'invalid_field', { field: 'url', message: 'must be a string: send one, not several' }],
  ['an object as a text', { metadata: '{"a":"b"}' }, 'invalid_field', { field: 'metadata', message: 'must be an object, such as {...}' }],
  ['too large a number', { limit: 201 }, 'invalid_field', { field: 'limit', message: 'must be at most 200' }],
  ['a nested value', { metadata: { a: 'long' } }, 'invalid_field', { field: 'metadata.a', message: 'must have at most 3 characters' }],
  ['too many entries', { metadata: { a: '', b: '', c: '' } }, 'invalid_field', { field: 'metadata', message: 'must have at most 2 entries' }],
  ['too long a name of an entry', { metadata: { abcdef: '' } }, 'invalid_field', { field: 'metadata', message: 'has a name that must have at most 5 characters' }],
])('%s is refused, and named', (_what, change, error, field) => {
  const refused = refusal(JSON.parse(JSON.stringify({ ...GOOD, ...change })));
  expect(refused).toMatchObject({ error, fields: [field] });
  expect(refused.message).toBe(`Invalid: ${field.field} ${field.message}.`);
});

test('a missing list is shown', () => {
  const { properties } = SCHEMA;
  const required = createValidator({ type: 'object', required: ['events'], properties } as const);
  expect(() => required({})).toThrow('Invalid: events is missing: send an array, such as ["a","b"].');
});

test('every fault is reported at once', () => {
  const refused = refusal({ tracking_number: 'SF1234567890', url: 1, country: 'x', limit: 0 });
  expect(refused.error).toBe('invalid_field');
  expect(refused.fields.map(({ field }) => field)).toEqual(['url', 'country', 'limit']);
  expect(refused.message).toBe(
    'Invalid: url must be a string: put it in quotes; country must have the format of CN; limit must be at least 1.',
  );
});

test('a missing number determines the error, the other faults are reported, too', () => {
  const refused = refusal({ url: 7 });
  expect(refused.error).toBe('number_missing');
  expect(refused.fields.map(({ field }) => field)).toEqual(['tracking_number', 'url']);
});

test('the message names a missing number together with the rest', () => {
  expect(refusal({ url: 7 }).message).toBe(
    'Invalid: tracking_number is missing; url must be a string: put it in quotes.',
  );
});

describe('faults that no schema describes', () => {
  const unknown: Fault = { field: 'courier_code', message: message('field.unknown_carrier'), error: 'unknown_courier' };
  const malformed: Fault = { field: 'tracking_number', message: message('field.number'), error: 'invalid_number' };

  test('are a refusal of an input that fits', () => {
    const refused = refusal(GOOD, () => [unknown]);
    expect(refused).toMatchObject({
      error: 'unknown_courier',
      message: 'Invalid: courier_code is not a known carrier; GET /api/v1/couriers/all lists them.',
    });
    expect(refused.fields).toEqual([{ field: 'courier_code', message: unknown.message }]);
  });

  test('are reported with those of the schema, and the most specific error names the refusal', () => {
    const refused = refusal({ ...GOOD, limit: 0 }, () => [unknown, malformed]);
    expect(refused.error).toBe('invalid_number');
    expect(refused.fields.map(({ field }) => field)).toEqual(['tracking_number', 'courier_code', 'limit']);
  });

  test('a field is reported once, with the message of the schema', () => {
    const refused = refusal({ ...GOOD, courier_code: 'abcdef' }, () => [unknown]);
    expect(refused.fields).toEqual([{ field: 'courier_code', message: 'must have at most 5 characters' }]);
  });

  test('are only looked for in objects', () => {
    expect(refusal([], () => [unknown]).error).toBe('bad_request');
  });
});

test('only the first fault of a very long list is reported', () => {
  const refused = refusal({ ...GOOD, limit: 0, events: Array.from({ length: 100_000 }, () => 7) });
  expect(refused.fields).toHaveLength(1);
});

test('of an input of any size, no further fault is searched for', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`${n}`, 'a\u0000']));
  const refused = refusal({ ...GOOD, metadata: many, url: 'a\u0000' });
  expect(refused.fields).toEqual([{ field: 'metadata', message: 'must have at most 2 entries' }]);
});

test('a name that every object has is not a field', () => {
  const refused = refusal(JSON.parse('{"__proto__":{"tracking_number":"SF1234567890","url":"a"}}'));
  expect(refused.error).toBe('number_missing');
});

test('a name with half a character is reported in whole ones, which every JSON parser reads', () => {
  const { fields, message } = refusal({ ...GOOD, metadata: { '\ud83d': 5 } });
  expect(fields.map(({ field }) => field)).toEqual(['metadata.\ufffd', 'metadata']);
  expect(message.isWellFormed()).toBe(true);
});

test('no refusal repeats what was sent', () => {
  const refused = refusal({ tracking_number: 'SF1', url: 'hunter2hunter2', country: 'hunter2', events: ['hunter2'] });
  expect(JSON.stringify([refused.message, refused.fields])).not.toContain('hunter2');
});

test('a list is refused for further faults, too', () => {
  const anything = createValidator({});
  const fault: Fault = { field: 'dryRun', message: message('field.invalid'), error: 'invalid_field' };
  expect(anything([], () => [])).toEqual([]);
  expect(() => anything([], () => [fault])).toThrow('Invalid: dryRun is invalid.');
});

/** Values that are often sent in place of others, by the type that is wanted. */
const LIKELY: Record<string, readonly unknown[]> = {
  string: [7, true, ['a']],
  boolean: ['true', 1],
  integer: ['5'],
  array: ['a,b', { a: 'b' }],
  object: ['{}', []],
};
const SAYS_HOW =
  /: put it in quotes|, in quotes: |: send one, not several|, given once|without quotes|, such as [[{]|^must be a time with a time zone/;

test.each(operations.map(({ doc, request }) => [doc.id, request]))(
  '%s: a likely value of another type is refused with the field and what to send',
  (_id, request) => {
    const check = createValidator(request);
    for (const [field, { type }] of Object.entries((request as Fields).properties ?? {}))
      for (const value of LIKELY[String([type].flat()[0])] ?? []) {
        const refused = refusedBy(check, { [field]: value });
        expect(refused.fields).toContainEqual({ field, message: textMatching(SAYS_HOW) });
      }
  },
);
type Fields = { properties?: Record<string, { type?: unknown }> };

describe('a check of our own answers', () => {
  const check = createResponseCheck({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } });

  test('passes what fits', () => {
    expect(() => check({ id: 'a' })).not.toThrow();
  });

  test('throws what does not fit, and says where', () => {
    expect(() => check({ id: 7 })).toThrow('the response does not match its schema: data/id must be string');
    expect(() => check({ id: 7 })).not.toThrow(ServiceError);
  });
});

test.each([
  [
    { type: 'string', enum: ['tracking_update', 'tracking_delivered'] },
    'delivered',
    '; did you mean tracking_delivered',
  ],
  [{ type: 'string', enum: ['in_transit', 'delivered'] }, 'Deliverd', '; did you mean delivered'],
  [{ type: 'string', enum: ['in_transit', 'delivered'] }, 'xyz', 'one of in_transit, delivered.'],
  [id, 'YT8962646785999', 'This looks like a tracking number'],
])('of %j, %s gets a suggestion', (schema, value, text) => {
  const validate = createValidator({ type: 'object', properties: { word: schema } });
  expect(() => validate({ word: value })).toThrow(text);
});
