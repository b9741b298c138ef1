import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfEvent, meaningOfStatus, parseResults } from './parse.ts';

const ASKED = { number: '9400136208275019384616', carrier: 'usps' };
const parseOne = (body: unknown, status?: number) => parseResults(response(body, status), ASKED);
const event = {
  occurrenceDatetime: '2031-01-02T08:00:00',
  status: 'Moved',
  location: 'X',
  statusMilestone: 'in_transit',
};
const tracking = (more: object = {}) => ({
  tracker: { trackerId: 't1', trackingNumber: ASKED.number },
  shipment: { statusMilestone: 'in_transit' },
  ...{ events: [event], ...more },
});
const trackings = (...items: unknown[]) => ({ data: { trackings: items } });
const firstScan = (more: object) => parseOne(trackings(tracking({ events: [{ ...event, ...more }] })));

test.each(Object.entries(JSON.parse(fixture(import.meta.url, 'expected.json'))))(
  '%s is read as expected',
  (file, expected) => {
    expect(summary(parseOne(fixture(import.meta.url, file)))).toEqual(expected);
  },
);

test('the days of the estimate are whole days at the destination', () => {
  expect(parseOne(fixture(import.meta.url, 'delivered.json'))).toMatchObject({
    estimatedDelivery: { from: '2031-03-06', to: '2031-03-07' },
  });
});

test.each([
  ['no zone', {}, '2031-01-02T13:00:00Z', 'default'],
  ['its own offset', { occurrenceDatetime: '2031-01-02T08:00:00+09:00' }, '2031-01-01T23:00:00Z', 'carrier'],
  ['its separate offset', { utcOffset: '+02:00' }, '2031-01-02T06:00:00Z', 'carrier'],
  [
    'an invalid offset',
    { utcOffset: 'null,', datetime: '2031-01-02T08:00:00.000Z' },
    '2031-01-02T13:00:00Z',
    'default',
  ],
  ['the country of its post', { courierCode: 'jp-post' }, '2031-01-01T23:00:00Z', 'location'],
])('a time with %s', (_, more, time, zoneSource) => {
  expect(firstScan(more)).toMatchObject({ scans: [{ time, zoneSource }] });
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['data_order_created', 'info_received'], ['data_order_cancelled', 'exception'], ['data_delivery_proposed', 'in_transit'],
  ['data_delivery_decided', 'in_transit'], ['transit_handover', 'in_transit'], ['transit_origin_country_departure', 'in_transit'],
  ['destination_arrival', 'in_transit'], ['customs_received', 'in_transit'], ['customs_exception', 'exception'],
  ['customs_rejected', 'exception'], ['customs_cleared', 'in_transit'], ['delivery_available_for_pickup', 'available_for_pickup'],
  ['delivery_out_for_delivery', 'out_for_delivery'], ['delivery_attempted', 'undeliverable'], ['delivery_exception', 'exception'],
  ['delivery_delivered', 'delivered'], ['exception_lost', 'exception'], ['exception_discarded', 'exception'],
])('the code %s is %s', (code, status) => {
  expect(meaningOfStatus(code, 'in_transit')).toMatchObject({ status });
});

test.each([
  ['info_received', 'info_received'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['failed_attempt', 'undeliverable'],
  ['available_for_pickup', 'available_for_pickup'],
  ['delivered', 'delivered'],
  ['exception', 'exception'],
])('the milestone %s is %s', (milestone, status) => {
  expect(meaningOfStatus('', milestone)).toMatchObject({ status });
});

test('a refused parcel is distinguished from a returning one', () => {
  expect(meaningOfStatus('delivery_refused', '')).toEqual({ status: 'exception', course: 'refused' });
  expect(meaningOfEvent('exception_return', 'exception', 'Return')).toEqual({
    status: 'exception',
    course: 'going_back',
  });
});

test('for an unknown milestone, the text decides', () => {
  expect(meaningOfStatus('', 'pending')).toBeUndefined();
  expect(meaningOfEvent('', 'sunrise', 'Out for delivery')).toEqual({ status: 'out_for_delivery' });
});

test.each([
  ['tracker_not_found', 404, 'not_found'],
  ['parcel_not_found', 404, 'not_found'],
  ['quota_limit_reached', 402, 'quota'],
  ['no_active_subscription', 422, 'auth'],
  ['request_conflict', 409, 'temporary'],
  ['processing_error', 400, 'temporary'],
  ['validation_error', 400, 'invalid_number'],
  ['auth_key_expired', 400, 'auth'],
  ['access_token_unknown', 400, 'auth'],
  ['sunrise', 400, 'unreadable'],
])('the error %s is %s', (code, status, outcome) => {
  expect(summary(parseOne({ errors: [{ code, message: 'because' }], data: null }, status as number))).toBe(outcome);
});

test.each([
  [401, 'auth'],
  [403, 'auth'],
  [429, 'rate_limited'],
  [500, 'transient'],
])('HTTP %i is %s', (status, failure) => {
  expect(parseOne('', status)).toMatchObject({ failure });
});

test('a tracking of another number is not taken for it, one of a further number of the shipment is not', () => {
  const other = { trackerId: 't2', trackingNumber: 'Z99999' };
  expect(parseOne(trackings(tracking({ tracker: other })))).toMatchObject({ otherNumber: 'Z99999' });
  const shipment = { statusMilestone: 'in_transit', trackingNumbers: [{ tn: ASKED.number }] };
  expect(parseOne(trackings(tracking({ tracker: other, shipment })))).toMatchObject({ kind: 'found' });
});

test('a number without a tracker is distinguished from one without news', () => {
  expect(parseOne(fixture(import.meta.url, 'not_found.json'), 404)).toEqual({
    kind: 'not_found',
    isUnregistered: true,
  });
  expect(parseOne(fixture(import.meta.url, 'pending.json'))).toEqual({ kind: 'not_found' });
});

test('of several trackers of a number, one that has news is read', () => {
  const without = tracking({ shipment: { statusMilestone: 'pending' }, events: [] });
  expect(parseOne(trackings(without, tracking()))).toMatchObject({ scans: [{ description: 'Moved' }] });
});

test('an event with an unreadable time fails the number', () => {
  expect(firstScan({ occurrenceDatetime: 'soon' })).toMatchObject({ failure: 'unreadable' });
});

test.each(['<html>', '[]', '{}', '{"data":{}}', '{"data":{"trackings":{}}}'])('%j is unreadable', (text) => {
  expect(parseOne(text)).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});
