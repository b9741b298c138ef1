import { flag, list, readList, text, textIn } from './setting.ts';

test.each([
  ['value', 'value'],
  [' value\n', 'value'],
  ['', undefined],
  [' \t', undefined],
  [undefined, undefined],
])('%j in the environment is the text %j', (given, expected) => {
  expect(textIn({ A: given }, 'A')).toBe(expected);
});

test('each kind of setting reads its text', () => {
  expect(text('A', 'a').read('x')).toBe('x');
  expect(flag('A', 'a', false).read('true')).toBe(true);
  expect(list('A', 'a').read(' a, ,b,')).toEqual(['a', 'b']);
  expect(readList('')).toEqual([]);
});
