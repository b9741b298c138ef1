import { textIn } from './setting.ts';

test.each([
  ['value', 'value'],
  [' value\n', 'value'],
  ['', undefined],
  [' \t', undefined],
  [undefined, undefined],
])('%j in the environment is the text %j', (given, expected) => {
  expect(textIn({ A: given }, 'A')).toBe(expected);
});
