import { lengthsNormalised } from '@pts/testing/normalised';
import { textMatching } from '@pts/testing/text-matching';
import { addFault, chooseColumns, type FaultGroup, FIELDS, isScientific, numberFault } from './imports.ts';
import { message } from './languages/message.ts';

test.each<[string[], object]>([
  [['Tracking Number', 'Order #', 'Carrier'], { tracking_number: 0, courier_code: 2, order_id: 1 }],
  [['order_id', 'TRACKING-NO.', 'Ship. Country'], { tracking_number: 1, order_id: 0 }],
  [['订单编号', '物流单号', '快递公司', '收件人手机'], { tracking_number: 1, courier_code: 2, phone: 3, order_id: 0 }],
  [['单号', '运单号（必填）'], { tracking_number: 1 }],
  [['ｔｒａｃｋｉｎｇ＿ｎｕｍｂｅｒ'], { tracking_number: 0 }],
  [['Name', 'City'], { title: 0 }],
  [['注文番号', '送り状番号'], { tracking_number: 1 }],
  [['송장 번호', '수취인'], { tracking_number: 0 }],
  [['Empfänger', 'Sendungsnummer'], { tracking_number: 1 }],
  [['Tracking Number', 'Country'], { tracking_number: 0, destination_country: 1 }],
  [['国家', '运单号', '邮编'], { tracking_number: 1, postal_code: 2, destination_country: 0 }],
  [['Phone', 'Shipping Phone', 'Tracking Number'], { tracking_number: 2, phone: 1 }],
  [['order_id', 'tracking_provider', 'tracking_number'], { tracking_number: 2, courier_code: 1, order_id: 0 }],
  [['联系电话', '联系手机', '货品标题', '运单号'], { tracking_number: 3, phone: 1, title: 2 }],
  [['Tracking Number (e.g. JD0123456789', `Order (${'x'.repeat(500)})`], { tracking_number: 0, order_id: 1 }],
  [['A', 'B'], {}],
])('%j suggests %j', (header, columns) => {
  expect(chooseColumns(header, {})).toEqual({ columns });
});

const header = ['Order', 'Tracking', 'Shop'];

test('columns are named by their headers, in any spelling, or by their places; - is for none', () => {
  const choose = (wanted: object) => chooseColumns(header, wanted);
  expect(choose({})).toEqual({ columns: { tracking_number: 1, order_id: 0 } });
  expect(choose({ title: 'shop', order_id: '-' })).toEqual({ columns: { tracking_number: 1, title: 2 } });
  expect(choose({ tracking_number: '3' })).toEqual({ columns: { tracking_number: 2, order_id: 0 } });
  expect(choose({ title: 'Tracking' })).toEqual({ columns: { order_id: 0, title: 1 } });
});

test.each(['Nothing', '0', '4', ''])('a column that does not exist is reported with those that do: "%s"', (name) => {
  expect(chooseColumns(header, { phone: name })).toEqual({
    field: 'phone',
    message: textMatching('The file has "Order", "Tracking", "Shop"'),
  });
});

test('each header is read once, however many columns are named, and only its beginning', () => {
  const long = Array.from({ length: 200 }, (_, place) => `${place}${'\ufdfa'.repeat(30_000)}`);
  const wanted = Object.fromEntries(FIELDS.map((field, place) => [field, `${place} `]));
  const lengths = lengthsNormalised(() => chooseColumns(long, wanted));
  expect(lengths.length).toBeLessThanOrEqual(long.length + FIELDS.length);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(500);
});

test.each([
  ['', /is missing/],
  ['1.23E+15', /shortened by a spreadsheet.*1\.23E\+15.*format the column as text/],
  ['1,23e+15', /shortened by a spreadsheet/],
  ['420000000000.0', /decimal number.*as text \(in pandas, dtype=str\)/],
  ['X'.repeat(51), /51 or more characters: shorten it/],
  ['1234', /fewer than 5/],
  ['YT1234567, YT1234568', /each in a separate row/],
  ['YT1234567\nYT1234568', /each in a separate row/],
  ['ÄÖÜ1234', /other than letters/],
])('"%s": what to do about it', (text, message) => {
  expect(`${numberFault(text)}`).toMatch(message);
});

test.each(['1E1234567', 'EE123456789CN', '12345678'])('%s was not shortened', (text) => {
  expect(isScientific(text)).toBe(false);
});

test('rows with the same fault are one group with some of their numbers', () => {
  const groups: FaultGroup[] = [];
  for (let row = 2; row < 12; row++) addFault(groups, { field: 'tracking_number', message: message('row.empty') }, row);
  addFault(groups, { field: 'phone', message: message('row.empty') }, 20);
  expect(groups).toEqual([
    { field: 'tracking_number', message: '["row.empty"]', rows: 10, sample_rows: [2, 3, 4, 5, 6] },
    { field: 'phone', message: '["row.empty"]', rows: 1, sample_rows: [20] },
  ]);
});

test('there are at most 51 groups', () => {
  const groups: FaultGroup[] = [];
  for (let row = 0; row < 200; row++)
    addFault(groups, { field: 'title', message: message('row.too_long', { max: row }) }, row);
  expect(groups).toHaveLength(51);
  expect(groups.at(-1)).toMatchObject({ rows: 150 });
});
