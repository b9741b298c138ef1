import { lengthsNormalised } from '@pts/testing/normalised';
import { textMatching } from '@pts/testing/text-matching';
import { rowReader } from './import-rows.ts';

const COLUMNS = { tracking_number: 0, order_id: 1, destination_country: 2, metadata: 3, phone: 4 };
const read = (...cells: string[]) => rowReader(COLUMNS, { sandbox: false })({ number: 2, cells });
const inputOf = (...cells: string[]) => {
  const result = read(...cells);
  if ('fault' in result) throw new Error(`${result.fault.message}`);
  return result.input;
};
const faultOf = (...cells: string[]) => {
  const result = read(...cells);
  return 'fault' in result ? result.fault : null;
};

const NUMBER = '00340434161094042557';

test('a row takes what a registration takes', () => {
  expect(inputOf(NUMBER, '', 'DE', '{"shop":"hangzhou"}')).toEqual({
    tracking_number: NUMBER,
    destination_country: 'DE',
    metadata: { shop: 'hangzhou' },
  });
});

test.each(['JD0123456789\nJD0123456790', 'JD0123456789 JD0123456790'])('%j is not taken for one number', (cell) => {
  expect(faultOf(cell)).toEqual({
    field: 'tracking_number',
    message: textMatching('each in a separate row'),
  });
});

test.each([
  ['as it is printed', '1Z 999 AA1 01 2345 6784'],
  ['in two groups', '0034 0434161094042557'],
  ['with characters that nobody sees', `\u202d${NUMBER}\u200b\u202c`],
])('%s, it is one number', (_how, cell) => {
  expect(inputOf(cell)).toEqual({ tracking_number: cell });
});

test.each([
  ['138****8000', '8000'],
  ['（010）１２３４-5678', '(010)1234-5678'],
  ['+86 13800138000', '+86 13800138000'],
  ['+1 555-123-4567 ext. 12345', '+1 555-123-4567'],
  ['17000000000转1234', '17000000000'],
  ['13800138000.0', '13800138000'],
])('of the phone %s, %s is kept', (cell, phone) => {
  expect(inputOf(NUMBER, '', '', '', cell)).toEqual({ tracking_number: NUMBER, phone });
});

test.each([
  ['order_id', [NUMBER, 'x'.repeat(101)], 'has more than 100 characters'],
  ['order_id', [NUMBER, 'a\ttab'], 'control characters'],
  ['destination_country', [NUMBER, '', 'Germany'], 'a country code of two letters'],
  ['metadata', [NUMBER, '', '', '["shop"]'], 'must be a JSON object'],
  ['metadata', [NUMBER, '', '', '{"shop":1}'], 'must be a JSON object'],
  ['metadata', [NUMBER, '', '', JSON.stringify({ ['x'.repeat(41)]: 'a' })], 'must be a JSON object'],
  ['metadata', [NUMBER, '', '', '{"shop":"\\u0000"}'], 'must be a JSON object'],
  ['metadata', [NUMBER, '', '', '{"shop":"\\ud800"}'], 'must be a JSON object'],
  ['metadata', [NUMBER, '', '', '{'], 'must be a JSON object'],
])('a %s that a registration refuses is a fault of that column', (field, cells, message) => {
  expect(faultOf(...cells)).toEqual({ field, message: textMatching(message) });
});

test.each([
  ['tracking_number', ['\ufdfa'.repeat(30_000)], '51 or more characters'],
  ['phone', [NUMBER, '', '', '', '\ufdfa'.repeat(30_000)], 'has more than 40 characters'],
])('a %s as long as a cell can be is refused without a look at all of it', (field, cells, message) => {
  const lengths = lengthsNormalised(() => faultOf(...cells));
  expect(faultOf(...cells)).toEqual({ field, message: textMatching(message) });
  expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(500);
});
