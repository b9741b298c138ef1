import { entriesIn, isSearchable, numbersIn, searchedPart } from './numbers.ts';

test.each([
  ['one number', 'SF1234567890123', ['SF1234567890123']],
  ['as printed', ' 1z 999-aa1 01 2345 6784 ', ['1Z999AA10123456784']],
  ['a column', 'SF1234567890123\r\nYT8962646785999\n', ['SF1234567890123', 'YT8962646785999']],
  ['a list', 'SF1234567890123, YT8962646785999;ZJS000123456', ['SF1234567890123', 'YT8962646785999', 'ZJS000123456']],
  [
    'a Chinese list',
    'SF1234567890123，YT8962646785999；ZJS000123456、SBX12345',
    ['SF1234567890123', 'YT8962646785999', 'ZJS000123456', 'SBX12345'],
  ],
  ['with the hyphens of a printer', 'SBX\u2011123\u201345', ['SBX12345']],
  ['copied from a chat', '\u202ASBX123\u200B45\u202C', ['SBX12345']],
  ['in full width', 'ＳＢＸ１２３４５', ['SBX12345']],
  ['each once', 'SBX12345\nsbx12345', ['SBX12345']],
  ['no numbers', 'Tracking number\n12\n#!?\nstraße', []],
  ['the words of a title', 'Shoes, socks', []],
])('%s', (_what, text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers);
});

test('what is no number is an entry as it is', () => {
  expect(entriesIn('sbx 12345\n #SBX12345 \n\n单号;sbx-12345')).toEqual(['SBX12345', '#SBX12345', '单号']);
});

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
