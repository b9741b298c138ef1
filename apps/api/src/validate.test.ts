import { ApiError, ERRORS, type ErrorName, type FieldError } from '@pts/core/errors';
import { createResponseCheck, createValidator } from './validate.ts';

const SCHEMA = {
  type: 'object',
  required: ['tracking_number', 'url'],
  properties: {
    tracking_number: { type: 'string' },
    tracking_numbers: { type: 'array', items: { type: 'string' } },
    url: { type: 'string', maxLength: 10 },
    events: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, minItems: 1 },
    country: { type: 'string', pattern: '^[A-Z]{2}$' },
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
const GOOD = { tracking_number: 'SF1234567890', url: 'https://a' };

function refusal(input: unknown): ApiError {
  try {
    validate(input);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return error as ApiError;
  }
  throw new Error('the input was let through');
}

test.each<[string, unknown]>([
  ['what is required', GOOD],
  [
    'all there is',
    { ...GOOD, events: ['a', 'b'], country: 'CN', limit: 200, metadata: { a: 'b' }, tracking_numbers: [] },
  ],
  ['fields that nobody knows', { ...GOOD, colour: 'red', nested: { a: [1] } }],
  ['empty texts', { tracking_number: '', url: '' }],
])('%s is let through, as it is', (_what, input) => {
  const before = structuredClone(input);
  expect(() => validate(input)).not.toThrow();
  expect(input).toEqual(before);
});

test.each<[string, unknown]>([
  ['a list', []],
  ['a list of objects', [GOOD]],
  ['a text', 'SF1234567890'],
  ['a number', 7],
  ['null', null],
  ['true', true],
])('%s instead of an object is a malformed request', (_what, input) => {
  expect(refusal(input)).toMatchObject({
    error: 'bad_request',
    message: 'The request body must be a JSON object.',
    fields: [],
  });
});

// biome-ignore format: one fault per line reads as the table it is
test.each<[string, Record<string, unknown>, ErrorName, FieldError]>([
  ['a number that is missing', { tracking_number: undefined }, 'number_missing', { field: 'tracking_number', message: 'is missing' }],
  ['a number that is no text', { tracking_number: 123456789012 }, 'invalid_number', { field: 'tracking_number', message: 'must be string' }],
  ['a number that is null', { tracking_number: null }, 'invalid_number', { field: 'tracking_number', message: 'must be string' }],
  ['numbers that are no list', { tracking_numbers: 'SF1' }, 'invalid_number', { field: 'tracking_numbers', message: 'must be array' }],
  ['another field that is missing', { url: undefined }, 'invalid_field', { field: 'url', message: 'is missing' }],
  ['a wrong type', { url: 7 }, 'invalid_field', { field: 'url', message: 'must be string' }],
  ['too long a text', { url: 'https://abc' }, 'invalid_field', { field: 'url', message: 'must NOT have more than 10 characters' }],
  ['a value that is none of the known', { events: ['a', 'ping'] }, 'invalid_field', { field: 'events.1', message: 'must be one of a, b' }],
  ['an empty list', { events: [] }, 'invalid_field', { field: 'events', message: 'must NOT have fewer than 1 items' }],
  ['a form that is not allowed', { country: 'China' }, 'invalid_field', { field: 'country', message: 'has characters or a form that is not allowed' }],
  ['a fraction', { limit: 1.5 }, 'invalid_field', { field: 'limit', message: 'must be integer' }],
  ['a number as a text', { limit: '5' }, 'invalid_field', { field: 'limit', message: 'must be integer' }],
  ['too large a number', { limit: 201 }, 'invalid_field', { field: 'limit', message: 'must be <= 200' }],
  ['a nested value', { metadata: { a: 'long' } }, 'invalid_field', { field: 'metadata.a', message: 'must NOT have more than 3 characters' }],
  ['too many entries', { metadata: { a: '', b: '', c: '' } }, 'invalid_field', { field: 'metadata', message: 'must NOT have more than 2 properties' }],
  ['too long a name of an entry', { metadata: { abcdef: '' } }, 'invalid_field', { field: 'metadata', message: 'must NOT have more than 5 characters' }],
])('%s is refused, and named', (_what, change, error, field) => {
  const refused = refusal(JSON.parse(JSON.stringify({ ...GOOD, ...change })));
  expect(refused).toMatchObject({ error, fields: [field] });
  const text = error === 'invalid_field' ? `Invalid: ${field.field} ${field.message}.` : ERRORS[error].text;
  expect(refused.message).toBe(text);
});

test('every fault is told at once', () => {
  const refused = refusal({ tracking_number: 'SF1234567890', url: 1, country: 'x', limit: 0 });
  expect(refused.error).toBe('invalid_field');
  expect(refused.fields.map(({ field }) => field)).toEqual(['url', 'country', 'limit']);
  expect(refused.message).toBe(
    'Invalid: url must be string; country has characters or a form that is not allowed; limit must be >= 1.',
  );
});

test('a missing number decides the error, the other faults are told along', () => {
  const refused = refusal({ url: 7 });
  expect(refused.error).toBe('number_missing');
  expect(refused.fields.map(({ field }) => field)).toEqual(['tracking_number', 'url']);
});

test('a name that every object has is no field', () => {
  const refused = refusal(JSON.parse('{"__proto__":{"tracking_number":"SF1234567890","url":"a"}}'));
  expect(refused.error).toBe('number_missing');
});

test('no refusal repeats what was sent', () => {
  const refused = refusal({ tracking_number: 'SF1', url: 'hunter2hunter2', country: 'hunter2', events: ['hunter2'] });
  expect(JSON.stringify([refused.message, refused.fields])).not.toContain('hunter2');
});

describe('a check of our own answers', () => {
  const check = createResponseCheck({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } });

  test('passes what fits', () => {
    expect(() => check({ id: 'a' })).not.toThrow();
  });

  test('throws what does not fit, and says where', () => {
    expect(() => check({ id: 7 })).toThrow('the answer does not fit its schema: data/id must be string');
    expect(() => check({ id: 7 })).not.toThrow(ApiError);
  });
});
