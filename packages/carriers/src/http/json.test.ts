import { objectsIn, parseObject, parseObjects, partOf, uncutMember } from './json.ts';

const reread = (value: unknown) => parseObject(JSON.stringify(value));

test.each(['', 'no JSON', '[]', '"text"', 'null', '1', '{', '[{}]'])('%j is not an object', (text) => {
  expect(parseObject(text)).toBeNull();
});

test('every text in an object is sanitized and truncated at any depth, and so is every name', () => {
  const long = '柜'.repeat(330_000);
  expect(reread({ 'a\u0000': { 'b\u202e': ['c\n\ud83d', [long]] }, [long]: true, n: 1.5, none: null })).toEqual({
    a: { b: ['c ', ['柜'.repeat(500)]] },
    ['柜'.repeat(500)]: true,
    n: 1.5,
    none: null,
  });
});

test('a member named __proto__ is a member like any other', () => {
  const object = parseObject('{"__proto__": {"status": "200"}}');
  expect(object?.status).toBeUndefined();
  expect(Object.keys(object ?? {})).toEqual(['__proto__']);
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

test('a member of another type is empty; a single object is a list of one', () => {
  const object = parseObject('{"part": {"a": 1}, "list": [{"b": 2}, 3], "text": "x", "empty": {}, "none": null}') ?? {};
  expect([partOf(object, 'part'), partOf(object, 'list'), partOf(object, 'none')]).toEqual([{ a: 1 }, {}, {}]);
  const lists = ['list', 'part', 'text', 'empty', 'none'].map((name) => objectsIn(object, name));
  expect(lists).toEqual([[{ b: 2 }], [{ a: 1 }], [], [], []]);
});

test('a value that is passed back to the API is neither truncated nor sanitized', () => {
  const long = 'x'.repeat(5_000);
  expect(uncutMember(JSON.stringify({ token: long }), 'token')).toBe(long);
  for (const text of ['', '[]', 'null', '{}']) expect(uncutMember(text, 'token')).toBeUndefined();
});
