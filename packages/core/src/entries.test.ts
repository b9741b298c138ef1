import { flatEntries, nestedEntries } from './entries.ts';

test.each([
  [
    { 'metadata.shop': 's1', 'metadata[x.y]': 'z', q: 'a' },
    { metadata: { shop: 's1', 'x.y': 'z' }, q: 'a' },
  ],
  [
    { 'metadata.': 'a', 'meta.shop': 'b', metadata: 'c' },
    { 'metadata.': 'a', 'meta.shop': 'b', metadata: 'c' },
  ],
  [
    { 'metadata.a]': 'a', 'metadata[]': 'b' },
    { metadata: { 'a]': 'a' }, 'metadata[]': 'b' },
  ],
  [
    { 'metadata.a': 'b', metadata: '{"shop":"s1","x":1}', 'metadata[c]': 'd', q: '{"a":1}' },
    { metadata: { a: 'b', shop: 's1', x: 1, c: 'd' }, q: '{"a":1}' },
  ],
  [{ metadata: '{"shop":"s1"' }, { metadata: '{"shop":"s1"' }],
  [{ metadata: '["s1"]' }, { metadata: '["s1"]' }],
  [{ 'metadata.a': 'b', metadata: 's1', 'metadata.c': 'd' }, { metadata: 's1' }],
  [{ metadata: ['{}', '{}'] }, { metadata: ['{}', '{}'] }],
])('%j has the entries of its objects in one each', (flat, nested) => {
  expect(nestedEntries(flat, ['metadata'])).toEqual(nested);
});

test('what is an object has an entry for each of its own', () => {
  const given = { q: 'a', carrier: undefined, metadata: { shop: 's1', 'x.y': '' } };
  expect(flatEntries(given)).toEqual({ q: 'a', 'metadata.shop': 's1', 'metadata.x.y': '' });
});

test('a name that every object has is an entry like any other', () => {
  const nested = nestedEntries(
    JSON.parse('{"metadata.__proto__": "a", "metadata.constructor": "b", "__proto__": "c"}'),
    ['metadata'],
  );
  expect(Object.keys(nested)).toEqual(['metadata', '__proto__']);
  expect(Object.keys(nested.metadata as object).sort()).toEqual(['__proto__', 'constructor']);
});
