import fc from 'fast-check';
import { toBoundedText } from './mcp-server.ts';

test('what fits stays as it is', () => {
  expect(toBoundedText({ a: [1, 2] })).toBe('{"a":[1,2]}');
});

test('long lists and texts are shortened, and the answer says so', () => {
  const text = toBoundedText({ id: 'x', rows: Array.from({ length: 500 }, (_, i) => ({ i, note: '快'.repeat(80) })) });
  expect(text.length).toBeLessThanOrEqual(30_000);
  const [json = '', remark] = text.split('\n');
  expect(JSON.parse(json)).toMatchObject({
    id: 'x',
    rows: expect.arrayContaining([expect.objectContaining({ i: 0 })]),
  });
  expect(remark).toMatch(/^\(Shortened: lists end after 100 entries/);
});

test('no answer is longer than the bound', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.integer({ min: 200, max: 1000 }), (value, max) => {
      expect(toBoundedText(value, max).length).toBeLessThanOrEqual(max);
    }),
  );
});
