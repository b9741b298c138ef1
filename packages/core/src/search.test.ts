import { lengthsNormalised } from '@pts/testing/normalised';
import { searchedTexts } from './search.ts';

test.each([
  ['SF1234', ['SF1234']],
  ['  1Z 999-AA1 ', ['1Z 999-AA1', '1Z999AA1']],
  ['A-1001', ['A-1001', 'A1001']],
  ['ＳＦ１２３', ['ＳＦ１２３', 'SF123']],
  ['Ａ－１００１', ['Ａ－１００１', 'A-1001', 'A1001']],
  ['外套', ['外套']],
  ['Blue jacket', ['Blue jacket', 'Bluejacket']],
  ['1 2 3', ['1 2 3', '123']],
  ['1-2', ['1-2']],
])('%j looks for %j', (typed, texts) => {
  expect(searchedTexts(typed)).toEqual(texts);
});

test.each(['', '  ', 'SF', '外', '😀', ' - '])('%j is too short', (typed) => {
  expect(searchedTexts(typed)).toBeNull();
});

test('a text as long as a request can be is looked at only at its beginning', () => {
  const lengths = lengthsNormalised(() => searchedTexts('\ufdfa'.repeat(300_000)));
  expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(500);
});
