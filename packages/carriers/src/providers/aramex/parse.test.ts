import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { failureOf, meaningOf, parseTrackShipments } from './parse.ts';

testFixtures(import.meta.url, parseTrackShipments, 'aramex');

const ask = (body: unknown, status = 200, numbers = ['A1']) =>
  parseTrackShipments(
    response(body, status),
    numbers.map((number) => ({ number, carrier: 'aramex' })),
  );
const tracked = (update: object) => ({ HasErrors: false, TrackingResults: [{ Key: 'A1', Value: [update] }] });

test.each([
  ['SH003', 'out_for_delivery'],
  ['SH005', 'delivered'],
  ['SH014', 'info_received'],
  ['SH033', 'exception'],
  ['SH069', 'returned'],
  ['SH999', undefined],
])('the update %s is %s', (code, status) => {
  expect(meaningOf(code)?.status).toBe(status);
});

test.each([
  ['SH999', 'Shipment received at destination warehouse', { status: 'in_transit' }],
  ['SH999', 'Consignee refused to accept', { status: 'exception', course: 'refused' }],
  ['SH999', 'Returned to shipper', { status: 'returned' }],
  ['SH033', 'Customer not available', { status: 'exception' }],
])('%s "%s" is %j', (UpdateCode, UpdateDescription, expected) => {
  const update = { UpdateCode, UpdateDescription, UpdateDateTime: '/Date(1948925742000+0400)/' };
  expect(ask(tracked(update))).toMatchObject([{ scans: [{ ...expected, time: '2031-10-05T00:15:42Z' }] }]);
});

test.each([
  ['/Date(1948925742000)/', '', '2031-10-05T00:15:42Z', 'carrier'],
  ['2031-05-31T16:00:00', 'JOHANNESBURG, South Africa', '2031-05-31T14:00:00Z', 'location'],
  ['2031-05-31T16:00:00', '', '2031-05-31T12:00:00Z', 'default'],
])('%s in "%s" is %s', (UpdateDateTime, UpdateLocation, time, zoneSource) => {
  expect(ask(tracked({ UpdateDateTime, UpdateLocation }))).toMatchObject([{ scans: [{ time, zoneSource }] }]);
});

test.each([
  ['ERR01: Invalid username or password', 'auth'],
  ['ERR52: Account number is required', 'auth'],
  ['ERR20: Invalid waybill', 'invalid_number'],
  ['ERR61: Internal error', 'temporary'],
])('the error "%s" is %s', (said, failure) => {
  expect(failureOf(said)).toBe(failure);
});

test.each([
  [200, {}, 'unreadable'],
  [401, {}, 'auth'],
  [429, {}, 'rate_limited'],
  [500, '<html>', 'transient'],
])('HTTP %i %j is %s', (status, body, failure) => {
  expect(ask(body, status)).toMatchObject([{ failure }]);
});
