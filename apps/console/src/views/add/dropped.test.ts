import { isTable, readDropped } from './dropped.ts';

test.each([
  ['a column', [['SBX1000000'], ['SBX2000000']], false],
  ['a column with a header', [['Tracking number'], ['SBX2000000']], false],
  ['numbers separated by commas', [['SBX1000000', 'SBX2000000', ''], ['SBX3000000']], false],
  [
    'orders beside numbers',
    [
      ['Order #', 'Tracking number'],
      ['A-1', 'SBX1000000'],
    ],
    true,
  ],
  [
    'carriers beside numbers',
    [
      ['SBX1000000', 'ups'],
      ['SBX2000000', 'dhl'],
    ],
    true,
  ],
  ['carriers with longer names', [['SBX1000000', 'fedex']], true],
])('%s: a table? %s', (_, [header = [], ...rows], expected) => {
  expect(isTable({ header, rows })).toBe(expected);
});

test('a column of numbers is read as spreadsheets save it: as UTF-16, too', async () => {
  const file = new File([Buffer.from('\uFEFFNumber\r\nSBX1000000\r\nSBX2000000', 'utf16le')], 'numbers.txt');
  expect(await readDropped(file)).toEqual({ numbers: 'SBX1000000\nSBX2000000' });
});
