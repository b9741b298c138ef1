import { isSearchable } from './searchable.ts';

test.each([
  ['ab', false],
  ['abc', true],
  ['夹', false],
  ['夹克', true],
  ['   a   ', false],
])('whether %j is long enough to search for: %s', (text, isLong) => {
  expect(isSearchable(text)).toBe(isLong);
});
