import { message } from '@pts/core/languages/message';
import fc from 'fast-check';
import { parseJson } from './body.ts';

/** What JSON.parse makes of a text: its value, or that it refuses it. */
function expected(text: string): { value: unknown } | 'refused' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'refused';
  }
}

function actual(text: string): { value: unknown } | 'refused' {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    expect(error).toMatchObject({ error: 'bad_request', message: expect.stringMatching(/is not valid JSON at line/) });
    return 'refused';
  }
}

// biome-ignore format: one list
const piece = fc.constantFrom(
  '{', '}', '[', ']', ',', ':', '"', '\\', '\\\\', '\\"', ' ', '\n', '1', 'true', '"a"', '"a":', '[1,2,3]', ',"a":[1,2,3]', '"__proto__":[1,2]',
);
const whole = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, ' ', '\n\t'))
  .map(([value, space]) => JSON.stringify(value, null, space));
const broken = fc.tuple(whole, fc.nat(), fc.nat(3), piece).map(([text, at, gone, put]) => {
  const place = at % (text.length + 1);
  return text.slice(0, place) + put + text.slice(place + gone);
});
const pieces = fc.array(piece).map((all) => all.join(''));

test('a text within the limits has the value that JSON.parse gives it, or a fault with its position', () => {
  fc.assert(
    fc.property(fc.oneof(whole, broken, pieces), (text) => {
      expect(actual(text)).toEqual(expected(text));
    }),
    { numRuns: 3000 },
  );
});

test('the refusal says where the fault is, and does not repeat the text', () => {
  expect(() => parseJson('{\n  "password": hunter2\n}')).toThrow(
    expect.objectContaining({
      error: 'bad_request',
      message: 'The request body is not valid JSON at line 2, column 15: expected a value.',
    }),
  );
});

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const list = (count: number, value: string) => `[${Array(count).fill(value)}]`;

// biome-ignore format: one limit per line is readable as a table
test.each([
  ['32 levels', deep(32), deep(33), /nested more than 32 levels deep/],
  ['4,000 lists', list(3999, '[]'), list(4000, '[]'), /more than 4,000 fields, objects and lists/],
  ['4,000 fields and objects', list(1333, '{"a":1,"b":2}'), list(1334, '{"a":1,"b":2}'), /more than 4,000 fields, objects and lists/],
  ['12,000 values', list(12_000, '1'), list(12_001, '1'), /more than 12,000 values/],
])('%s are the most that is parsed', (_what, most, more, message) => {
  expect(parseJson(most)).toEqual(JSON.parse(most));
  expect(() => parseJson(more)).toThrow(
    expect.objectContaining({ error: 'bad_request', message: expect.stringMatching(message) }),
  );
});

test('what is in a string does not count', () => {
  const text = JSON.stringify(`\\"${'[{,:'.repeat(10_000)}\\`);
  expect(parseJson(text)).toBe(JSON.parse(text));
});

test('a body beyond a limit is refused with the advice of its operation', () => {
  expect(() => parseJson(deep(33))).toThrow('Split it into smaller requests.');
  expect(() => parseJson(deep(33), message('split_file'))).toThrow(/levels deep\. Split the file\.$/);
});
