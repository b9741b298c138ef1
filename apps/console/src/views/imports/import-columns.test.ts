import { type Column, columnsOf, parametersOf, samplesOf, withField } from './import-columns.ts';

const COLUMNS: Column[] = [
  { header: 'Order', field: 'order_id' },
  { header: 'Code', field: null },
  { header: 'Tracking', field: 'tracking_number' },
];
const SAMPLE = { header: ['Order', 'Code', 'Tracking'], rows: [['A-1', 'x', 'YT1'], ['A-2']] };

test('a field has one column: choosing another one frees the first', () => {
  const changed = withField(COLUMNS, 1, 'tracking_number');
  expect(changed.map(({ field }) => field)).toEqual(['order_id', 'tracking_number', null]);
  expect(parametersOf(changed)).toMatchObject({
    tracking_number_column: '2',
    order_id_column: '1',
    phone_column: '-',
  });
});

test('while the service cannot read the columns, they are those of the file', () => {
  expect(columnsOf(undefined, SAMPLE)).toEqual([
    { header: 'Order', field: null },
    { header: 'Code', field: null },
    { header: 'Tracking', field: null },
  ]);
  expect(columnsOf(undefined, null)).toEqual([]);
});

test('each column shows what the first rows have in it; a list has no header', () => {
  expect(samplesOf(SAMPLE, COLUMNS, 0)).toEqual(['A-1', 'A-2']);
  expect(samplesOf(SAMPLE, COLUMNS, 2)).toEqual(['YT1']);
  const list: Column[] = [{ header: 'tracking_number', field: 'tracking_number' }];
  expect(samplesOf({ header: ['YT1'], rows: [['YT2'], ['YT3'], ['YT4']] }, list, 0)).toEqual(['YT1', 'YT2', 'YT3']);
  const below = { header: ['Orders 2026'], rows: [['Order\nno.', 'x'], ['A-1'], ['A-2'], ['A-3'], ['A-4']] };
  const columns = ['Order no.', 'x'].map((header) => ({ header, field: null }));
  expect(samplesOf(below, columns, 0)).toEqual(['A-1', 'A-2', 'A-3']);
});
