import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfStatus } from './codes.ts';
import { parseTrackings } from './parse.ts';

const ASKED = { number: 'RR419753207NO', carrier: 'posten-norge' };
const parseOne = (body: unknown, status?: number, requested = ASKED) =>
  parseTrackings(response(body, status), [requested])[0];
const checkpoint = { checkpoint_date: '2031-01-02T08:00:00', tracking_detail: 'Moved', location: 'Granvik' };
const item = (more: object = {}) => ({
  ...{ tracking_number: ASKED.number, courier_code: 'posten-norge', delivery_status: 'transit' },
  ...{ origin_info: { trackinfo: [checkpoint] }, ...more },
});
const list = (...data: unknown[]) => ({ meta: { code: 200 }, data });

test.each(Object.entries(JSON.parse(fixture(import.meta.url, 'expected.json'))))(
  '%s is read as expected',
  (file, expected) => {
    const text = fixture(import.meta.url, file);
    const number = /"tracking_number": "(\w+)"/.exec(text)?.[1] ?? ASKED.number;
    expect(summary(parseOne(text, 200, { number, carrier: '' }))).toEqual(expected);
  },
);

test.each(['courier_code', 'carrier_code'])('the times of a leg are those of its %s', (name) => {
  const leg = { [name]: 'usps', trackinfo: [{ ...checkpoint, location: 'FENNBROOK, WA 98000' }] };
  expect(parseOne(list(item({ origin_info: {}, destination_info: leg })))).toMatchObject({
    scans: [{ time: '2031-01-02T16:00:00Z' }],
  });
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['inforeceived001', 'info_received'], ['transit001', 'in_transit'], ['transit002', 'in_transit'], ['transit003', 'in_transit'],
  ['transit004', 'in_transit'], ['transit005', 'in_transit'], ['transit006', 'in_transit'], ['transit007', 'in_transit'],
  ['pickup001', 'out_for_delivery'], ['pickup002', 'available_for_pickup'], ['pickup003', 'out_for_delivery'],
  ['undelivered001', 'undeliverable'], ['undelivered002', 'undeliverable'], ['undelivered003', 'undeliverable'],
  ['undelivered004', 'undeliverable'], ['delivered001', 'delivered'], ['delivered002', 'delivered'], ['delivered003', 'delivered'],
  ['delivered004', 'delivered'], ['exception004', 'exception'], ['exception005', 'exception'], ['exception006', 'exception'],
  ['exception007', 'exception'], ['exception008', 'exception'], ['exception010', 'returned'],
])('the sub-status %s is %s', (code, status) => {
  expect(meaningOfStatus(code, '')).toEqual({ status });
});
