import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfCheckpoint, meaningOfStatus, parseTrackings } from './parse.ts';

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

test('the day of the estimate is a whole day at the destination', () => {
  expect(parseOne(fixture(import.meta.url, 'ready_two_legs.json'))).toMatchObject({
    estimatedDelivery: { from: '2031-06-09', to: '2031-06-09' },
  });
});

test('the estimate may have another name, and an older response nests its trackings one level deeper', () => {
  const tracking = item({ expected_delivery: '2031-01-05', destination_country: 'NO' });
  expect(parseOne({ meta: { code: 200 }, data: { page: 1, items: [tracking] } })).toMatchObject({
    kind: 'found',
    estimatedDelivery: { from: '2031-01-05', to: '2031-01-05' },
  });
});

test.each(['courier_code', 'carrier_code'])('the times of a leg are those of its %s', (name) => {
  const leg = { [name]: 'usps', trackinfo: [{ ...checkpoint, location: 'FENNBROOK, WA 98000' }] };
  expect(parseOne(list(item({ origin_info: {}, destination_info: leg })))).toMatchObject({
    scans: [{ time: '2031-01-02T16:00:00Z' }],
  });
});

test('a place that is given only in parts is shown', () => {
  const parts = { ...checkpoint, location: '', city: 'Granvik', country_iso2: 'NO' };
  expect(parseOne(list(item({ origin_info: { trackinfo: [parts] } })))).toMatchObject({
    scans: [{ location: 'Granvik, NO', zoneSource: 'location' }],
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
  expect(meaningOfStatus(code, '')).toMatchObject({ status });
});

test('a refused parcel is distinguished from a returning one', () => {
  expect(meaningOfStatus('exception009', '')).toEqual({ status: 'exception', course: 'refused' });
  expect(meaningOfStatus('exception011', '')).toEqual({ status: 'exception', course: 'going_back' });
  expect(meaningOfCheckpoint('exception010', '', 'Back at the origin')).toEqual({ status: 'returned' });
});

test('pickup without a sub-status is out for delivery; for an unknown status, the text decides', () => {
  expect(meaningOfStatus('', 'pickup')).toEqual({ status: 'out_for_delivery' });
  expect(meaningOfCheckpoint('', 'sunrise', 'Out for delivery')).toEqual({ status: 'out_for_delivery' });
  expect(meaningOfCheckpoint('', '', '')).toBe('silent');
});

test.each(['pending', 'notfound', 'expired', ''])(
  'the status %j without a checkpoint is not found',
  (delivery_status) => {
    expect(parseOne(list(item({ delivery_status, origin_info: {} })))).toEqual({ kind: 'not_found' });
  },
);

test.each([
  [4102, 'not_found'],
  [4110, 'invalid_number'],
  [4111, 'invalid_number'],
  [4121, 'not_found'],
  [4122, 'needs_input'],
  [4190, 'quota'],
  [4001, 'auth'],
  [4002, 'auth'],
  [203, 'auth'],
  [401, 'auth'],
  [429, 'rate_limited'],
  [511, 'transient'],
  [4120, 'unreadable'],
  [4101, 'unreadable'],
])('the code %i is %s, with HTTP 400 as with 200', (code, outcome) => {
  const body = { meta: { code, type: 'BadRequest', message: 'because' }, data: [] };
  expect(summary(parseOne(body, 400))).toBe(outcome);
  expect(summary(parseOne(body, 200))).toBe(outcome);
});

test.each([
  [401, 'auth'],
  [429, 'rate_limited'],
  [500, 'transient'],
])('HTTP %i is %s', (status, failure) => {
  expect(parseOne('', status)).toMatchObject({ failure });
});

test('a call that is refused because of one of several numbers says nothing about the others', () => {
  const all = [ASKED, { number: 'B12345', carrier: 'usps' }];
  const refused = { meta: { code: 4110, message: 'because' }, data: [] };
  expect(parseTrackings(response(refused, 400), all)).toMatchObject(
    all.map(() => ({ failure: 'temporary', isOfOne: true })),
  );
});

test('a number that is not registered is distinguished from one without news', () => {
  const unregistered = { kind: 'not_found', isUnregistered: true };
  expect(parseOne(fixture(import.meta.url, 'none_registered.json'))).toEqual(unregistered);
  expect(parseOne({ meta: { code: 4102 }, data: [] }, 400)).toEqual(unregistered);
  expect(parseOne(list(item({ delivery_status: 'pending', origin_info: {} })))).toEqual({ kind: 'not_found' });
});

test('of several trackings of a number, that of the requested carrier is read', () => {
  const other = item({ courier_code: 'usps', delivery_status: 'delivered', origin_info: {} });
  expect(parseOne(list(other, item()))).toMatchObject({ scans: [{ status: 'in_transit' }] });
});

test('each number has its own answer; an answer about another number fails the one without', () => {
  const all = [ASKED, { number: 'B12345', carrier: 'usps' }];
  expect(parseTrackings(response(list(item())), all).map(summary)).toEqual([expect.any(Array), 'not_found']);
  const mixedUp = list(item(), item({ tracking_number: 'Z99999' }));
  expect(parseTrackings(response(mixedUp), all).map(summary)).toEqual([expect.any(Array), 'unreadable']);
});

test('a checkpoint with an unreadable time fails its number', () => {
  const bad = item({ origin_info: { trackinfo: [checkpoint, { ...checkpoint, checkpoint_date: 'soon' }] } });
  expect(parseOne(list(bad))).toMatchObject({ failure: 'unreadable' });
});

test.each(['<html>', '[]', '{"meta":{"code":200},"data":"x"}', '{"meta":{"code":200}}'])('%j is unreadable', (text) => {
  expect(parseOne(text)).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});
