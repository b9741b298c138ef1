import fc from 'fast-check';
import { parseJson } from './json.ts';
import { createTurns } from './turns.ts';

const MANY = 1_000_000;
const parse = (text: string, step?: number) => parseJson(text, MANY, createTurns({ turnMs: 60_000 }), step);

/** What JSON.parse makes of a text: its value, or that it refuses it. */
function expected(text: string): { value: unknown } | 'refused' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'refused';
  }
}

async function actual(text: string, step: number): Promise<{ value: unknown } | 'refused'> {
  try {
    return { value: await parse(text, step) };
  } catch (error) {
    expect(error).toMatchObject({ error: 'bad_request', message: expect.stringMatching(/is not valid JSON at line/) });
    return 'refused';
  }
}

// biome-ignore format: one list
const piece = fc.constantFrom(
  '{', '}', '[', ']', ',', ':', '"', '\\', '\\\\', '\\"', ' ', '\n', '1', 'true', '"a"', '"a":', '[1,2,3]', ',"a":[1,2,3]', '"__proto__":[1,2]',
);
const lists = fc.oneof(
  fc.array(fc.jsonValue({ maxDepth: 2 })),
  fc.dictionary(fc.oneof(fc.constantFrom('__proto__', 'trackings', 'a"b\\'), fc.string()), fc.array(fc.jsonValue())),
);
const whole = fc
  .tuple(lists, fc.constantFrom(undefined, ' ', '\n\t'))
  .map(([value, space]) => JSON.stringify(value, null, space));
const broken = fc.tuple(whole, fc.nat(), fc.nat(3), piece).map(([text, at, gone, put]) => {
  const place = at % (text.length + 1);
  return text.slice(0, place) + put + text.slice(place + gone);
});
const pieces = fc.array(piece).map((all) => all.join(''));

test('parts of any length give the value of the whole, and refuse what is not JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(whole, broken, pieces), fc.integer({ min: 1, max: 12 }), async (text, step) => {
      expect(await actual(text, step)).toEqual(expected(text));
    }),
    { numRuns: 3000 },
  );
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['a comma without a value before it', '[   ,1,2]'],
  ['a comma without a value after it', '[1,2,   ]'],
  ['a list that ends as an object', '[1,2,3}'],
  ['a list without a name', '{[1,2,3]}'],
  ['a list without a colon', '{"a"[1,2,3]}'],
  ['a list after a value', '{"a":1[1,2,3]}'],
  ['text after the list', '[1,2,3]x'],
  ['a space that JSON does not have', '\u00a0[1,2,3]'],
])('%s is refused, although every part is valid', async (_what, text) => {
  expect(expected(text)).toBe('refused');
  for (const step of [1, 2, 3]) expect(await actual(text, step)).toBe('refused');
});

// biome-ignore format: one text per line is readable as a table
test.each([
  ['the later field', '{"a":[1,2,3],"a":[]}', { a: [] }],
  ['the later list', '{"a":[1,2,3],"a":[4,5,6]}', { a: [4, 5, 6] }],
  ['the later text', '{"a":[1,2,3],"a":"[1,2,3]"}', { a: '[1,2,3]' }],
])('of fields with the same name, %s counts', async (_what, text, value) => {
  for (const step of [1, 2, 3]) expect(await parse(text, step)).toEqual(value);
});

test('other work continues while a large body is read', async () => {
  const turns = createTurns({ turnMs: 0 });
  let others = 0;
  const tick = () => {
    others += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const list = Array.from({ length: 10_000 }, (_, n) => ({ tracking_number: `YT${n}`, title: 'a, [b]' }));
  expect(await parseJson(JSON.stringify({ trackings: list }), MANY, turns)).toEqual({ trackings: list });
  clearImmediate(ticking);
  // Each of its parts is read, and then parsed, in a turn of its own.
  expect(others).toBeGreaterThan(2 * 20);
});

test('a value that would take too long is refused, unless the text has a fault', async () => {
  const long = `"${'a'.repeat(70_000)}"`;
  await expect(parse(`[1,${long}]`)).rejects.toMatchObject({ message: expect.stringContaining('more than 64 KiB') });
  await expect(parse(`[1,${long}`)).rejects.toMatchObject({ message: expect.stringContaining('line 1, column 70006') });
  await expect(parse(`{"a":${long}}`)).rejects.toMatchObject({ error: 'bad_request' });
  expect(await parse(`[1]${' '.repeat(70_000)}`)).toEqual([1]);
});
