import { isSearchable, searchedPart } from './searchable.ts';

test.each([
  ['ab', false],
  ['abc', true],
  ['夹', false],
  ['夹克', true],
  ['   a   ', false],
  ['a title of a parcel'.repeat(10), true],
])('whether %j is long enough to search for: %s', (text, isLong) => {
  expect(isSearchable(text)).toBe(isLong);
});

test('the service takes 100 characters: a longer text is searched for by its beginning', () => {
  expect(searchedPart(` ${'👟'.repeat(101)}`)).toBe('👟'.repeat(100));
  expect(searchedPart(' red umbrella ')).toBe('red umbrella');
});
