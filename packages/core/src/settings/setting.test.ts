import { flag, integer, list, optionalText, readList, text, textIn, valueIn } from './setting.ts';

test.each([
  ['value', 'value'],
  [' value\n', 'value'],
  ['', undefined],
  [' \t', undefined],
  [undefined, undefined],
])('%j in the environment is the text %j', (given, expected) => {
  expect(textIn({ A: given }, 'A')).toBe(expected);
});

test('an unset setting has its default, a set one its value', () => {
  const floor = integer('FLOOR', 'least time', 60, 0, 3600);
  expect([valueIn({}, floor), valueIn({ FLOOR: '' }, floor), valueIn({ FLOOR: '5' }, floor)]).toEqual([60, 60, 5]);
  expect(valueIn({}, optionalText('URL', 'address'))).toBeUndefined();
});

test('each kind of setting reads its text', () => {
  expect(text('A', 'a').read('x')).toBe('x');
  expect(flag('A', 'a', false).read('true')).toBe(true);
  expect(list('A', 'a').read(' a, ,b,')).toEqual(['a', 'b']);
  expect(readList('')).toEqual([]);
});
