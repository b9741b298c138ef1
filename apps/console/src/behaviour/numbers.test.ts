import { numbersIn } from './numbers.ts';

test.each([
  ['one number', 'SF1234567890123', ['SF1234567890123']],
  ['as printed', ' 1z 999-aa1 01 2345 6784 ', ['1Z999AA10123456784']],
  ['a column', 'SF1234567890123\r\nYT8962646785999\n', ['SF1234567890123', 'YT8962646785999']],
  ['a list', 'SF1234567890123, YT8962646785999;ZJS000123456', ['SF1234567890123', 'YT8962646785999', 'ZJS000123456']],
  ['each once', 'SBX12345\nsbx12345', ['SBX12345']],
  ['no numbers', 'Tracking number\n12\n#!?', ['TRACKINGNUMBER']],
])('%s', (_what, text, numbers) => {
  expect(numbersIn(text)).toEqual(numbers);
});
