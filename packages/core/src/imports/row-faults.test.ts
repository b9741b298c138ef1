import { addFault, codeOfFault, type FaultGroup, isScientific, numberFault } from './row-faults.ts';

test.each([
  ['', /is empty/],
  ['1.23E+15', /shortened by a spreadsheet.*1\.23E\+15.*format the column as text/],
  ['1,23e+15', /shortened by a spreadsheet/],
  ['420000000000.0', /decimal number.*as text \(in pandas, dtype=str\)/],
  ['X'.repeat(51), /51 or more characters: shorten it/],
  ['1234', /fewer than 5/],
  ['YT1234567, YT1234568', /each number in a row of its own/],
  ['ÄÖÜ1234', /other characters/],
])('"%s": what to do about it', (text, message) => {
  expect(numberFault(text)).toMatch(message);
});

test.each(['1E1234567', 'EE123456789CN', '12345678'])('%s was not shortened', (text) => {
  expect(isScientific(text)).toBe(false);
});

test('rows with the same fault are one group with some of their numbers', () => {
  const groups: FaultGroup[] = [];
  for (let row = 2; row < 12; row++) addFault(groups, { field: 'tracking_number', message: 'is empty' }, row);
  addFault(groups, { field: 'phone', message: 'is empty' }, 20);
  expect(groups).toEqual([
    { field: 'tracking_number', message: 'is empty', rows: 10, sample_rows: [2, 3, 4, 5, 6] },
    { field: 'phone', message: 'is empty', rows: 1, sample_rows: [20] },
  ]);
});

test('there are at most 51 groups', () => {
  const groups: FaultGroup[] = [];
  for (let row = 0; row < 200; row++) addFault(groups, { field: 'title', message: `fault ${row}` }, row);
  expect(groups).toHaveLength(51);
  expect(groups.at(-1)).toMatchObject({ rows: 150 });
});

test('a fault has a code, unless its message has a number in it', () => {
  expect(codeOfFault({ field: 'tracking_number', message: numberFault('') })).toBe('empty');
  expect(codeOfFault({ field: 'title', message: 'has more than 200 characters: shorten it' })).toBeUndefined();
});
