import fc from 'fast-check';
import { findJsonFault } from './body.ts';

// biome-ignore format: one text per line is readable as a table
test.each<[text: string, line: number, column: number, problem: string]>([
  ['', 1, 1, 'the body ends here; expected a value'],
  ['{"tracking_number":', 1, 20, 'the body ends here; expected a value'],
  ['{"a":1', 1, 7, 'the body ends here; expected a comma or }'],
  ['[1', 1, 3, 'the body ends here; expected a comma or ]'],
  ['{', 1, 2, 'the body ends here; expected a name in double quotes or }'],
  ['{"a"', 1, 5, 'the body ends here; expected a colon'],
  ['{"a":"b', 1, 8, 'the body ends here, inside a string'],
  ["{'a':1}", 1, 2, 'expected a name in double quotes or }'],
  ['{a:1}', 1, 2, 'expected a name in double quotes or }'],
  ['{"a":1,}', 1, 8, 'expected a name in double quotes'],
  ['[1,]', 1, 4, 'expected a value'],
  ['[,1]', 1, 2, 'expected a value or ]'],
  ['{"a" 1}', 1, 6, 'expected a colon'],
  ['{"a":NaN}', 1, 6, 'expected a value'],
  ['{"a":undefined}', 1, 6, 'expected a value'],
  ['{"a":01}', 1, 7, 'expected a comma or }'],
  ['[1}', 1, 3, 'expected a comma or ]'],
  ['{"a":1}}', 1, 8, 'expected the end of the body'],
  ['{"a":1} // b', 1, 9, 'expected the end of the body'],
  ['{"a":"\u0000"}', 1, 7, 'a control character inside a string must be escaped'],
  ['{"a":"b\nc"}', 1, 8, 'a control character inside a string must be escaped'],
  ['{"a":"\\x00"}', 1, 7, 'invalid escape after a backslash'],
  ['{\r\n  "a": 1,\r\n  "b": tru\r\n}', 3, 8, 'expected a value'],
  ['{"快":1 "b":2}', 1, 8, 'expected a comma or }'],
])('%j is invalid JSON at line %d, column %d', (text, line, column, problem) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(findJsonFault(text)).toEqual({ line, column, problem });
});

test('a fault is found in exactly those texts that JSON.parse refuses', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  // biome-ignore format: one list
  const piece = fc.constantFrom(
    '{', '}', '[', ']', ',', ':', '"', '\\', '\\u00', ' ', '\n', '-', '0', '1.', 'e5', 'true', '快', '\u001f', '\u2028',
  );
  const broken = fc.tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(3), piece).map(([text, at, gone, put]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + put + text.slice(place + gone);
  });
  const text = fc.oneof(
    fc.json({ maxDepth: 4 }),
    broken,
    fc.array(piece).map((pieces) => pieces.join('')),
  );
  fc.assert(
    fc.property(text, (each) => (findJsonFault(each) === null) === isJson(each)),
    { numRuns: 1000 },
  );
});

test.each([
  ['lists within each other', '['.repeat(1_000_000)],
  ['a long text', `"${'a'.repeat(1_000_000)}`],
  ['a long text of escapes', `"${'\\n'.repeat(500_000)}`],
  ['many lines', '\n'.repeat(1_000_000)],
])('%s are read to their end', (_what, text) => {
  expect(`${findJsonFault(text)?.problem}`).toMatch(/^the body ends here/);
});
