import { formatOf, sampleOf } from './sample.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

test('the first rows of a file are read, with quoted separators and line breaks in their cells', () => {
  expect(sampleOf(utf8('\uFEFFTracking;Note\r\nYT1;"a;b"\r\nYT2;"c\nd"\r\n\r\nYT3;e\r\nYT4;f\r\n'))).toEqual({
    header: ['Tracking', 'Note'],
    rows: [
      ['YT1', 'a;b'],
      ['YT2', 'c\nd'],
      ['YT3', 'e'],
      ['YT4', 'f'],
    ],
  });
});

test('files of Chinese systems can be read, and so can one that is cut within a character', () => {
  const gb18030 = new Uint8Array([0xd4, 0xcb, 0xb5, 0xa5, 0xba, 0xc5, 0x0a, 0x59, 0x54, 0x31, 0x0a]);
  expect(sampleOf(gb18030)?.header).toEqual(['运单号']);
  expect(sampleOf(utf8('运单号\nYT1').slice(0, -4))?.header).toEqual(['运单号']);
  expect(sampleOf(utf8('运单号,订').slice(0, -1))?.header[0]).toBe('运单号');
});

test('a file is read in the encoding that the service states', () => {
  const latin1 = new Uint8Array([0x47, 0x72, 0xf6, 0xdf, 0x65, 0x3b, 0x4e, 0x72, 0x0a]);
  expect(sampleOf(latin1, 'windows-1252')?.header).toEqual(['Größe', 'Nr']);
});

test('an empty file has nothing to show', () => {
  expect(sampleOf(utf8(''))).toBeNull();
});

test.each([
  ['orders.csv', 'csv'],
  ['ORDERS.XLSX', 'xlsx'],
  ['orders.jsonl', 'ndjson'],
  ['orders', 'csv'],
])('%s is read as %s', (name, format) => {
  expect(formatOf(name)).toBe(format);
});
