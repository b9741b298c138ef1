import { parseObject, parseObjects } from './json.ts';

const reread = (value: unknown) => parseObject(JSON.stringify(value));

test('every text in an object is sanitized and truncated at any depth, and so is every name', () => {
  const long = '柜'.repeat(330_000);
  expect(reread({ 'a\u0000': { 'b\u202e': ['c\n\ud83d', [long]] }, [long]: true, n: 1.5, none: null })).toEqual({
    a: { b: ['c ', ['柜'.repeat(500)]] },
    ['柜'.repeat(500)]: true,
    n: 1.5,
    none: null,
  });
});

test('values nested too deep are left out, however deep; the others are read', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  expect(JSON.stringify(parseObject(nested(32)))).toBe(nested(32));
  expect(JSON.stringify(parseObject(nested(33)))).toBe(nested(32).replace('1', 'null'));
  expect(JSON.stringify(parseObject(`{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`))).toContain('null');
});

test('a list of objects is read within the same bounds', () => {
  expect(parseObjects(' [{"a\\u0000": 1}, 2, null, {"b": "x\\n"}]')).toEqual([{ a: 1 }, { b: 'x ' }]);
  for (const text of ['{}', '', '[', '[]}', 'null', '[1], "x": [2', '[1], "x": [2]'])
    expect(parseObjects(text)).toBeNull();
});
