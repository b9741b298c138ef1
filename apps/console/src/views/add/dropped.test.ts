import { isTable } from './dropped.ts';

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
