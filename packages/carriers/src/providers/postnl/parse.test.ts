import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { postnl } from './index.ts';
import { meaningOf, parseStatus } from './parse.ts';

testFixtures(import.meta.url, postnl.parse, 'postnl');

const ask = (body: unknown, status = 200, number = 'A1') =>
  parseStatus(response(body, status), { number, carrier: 'postnl' });
const TimeStamp = '08-11-2031 10:13:20';
const shipment = (StatusCode: string, Description: string) => ({
  CompleteStatus: {
    Shipment: { Barcode: 'A1', Event: [{ TimeStamp, Description }], Status: { TimeStamp, StatusCode } },
  },
});

// biome-ignore format: one status per line is readable as a table
test.each([
  ['1', 'info_received'], ['2', 'in_transit'], ['5', 'in_transit'], ['7', 'out_for_delivery'], ['8', 'exception'],
  ['9', 'in_transit'], ['11', 'delivered'], ['12', 'available_for_pickup'], ['17', 'exception'], ['22', 'delivered'],
  ['99', undefined],
])('the status %s is %s', (code, status) => {
  expect(meaningOf(code)?.status).toBe(status);
});

// biome-ignore format: one event per line is readable as a table
test.each([
  ['1', 'Shipment expected, but not yet arrived at PostNL', { status: 'info_received' }],
  ['5', 'Shipment has been sorted', { status: 'in_transit' }],
  ['8', 'Recipient refused shipment', { status: 'exception', course: 'refused' }],
  ['8', 'Shipment not delivered', { status: 'exception' }],
  ['11', 'Shipment delivered to neighbour', { status: 'delivered' }],
  ['12', 'Shipment can be collected at PostNL outlet', { status: 'available_for_pickup' }],
  ['99', 'Something new', { status: 'in_transit' }],
])('an event with the status %s and "%s" is %j', (code, text, expected) => {
  expect(ask(shipment(code, text))).toMatchObject({ scans: [{ ...expected, time: '2031-11-08T09:13:20Z' }] });
});

test('without events, the statuses are the scans', () => {
  const answer = ask(readFixture(import.meta.url, 'current.json'), 200, '3SDEVC288882202');
  expect(answer).toMatchObject({
    estimatedDelivery: { from: '2031-11-08', to: '2031-11-08' },
    destination: 'Utrecht, NL',
  });
});

test.each([
  [200, { Warnings: [{ Code: '2', Message: 'No shipment found' }] }, { kind: 'not_found' }],
  [404, {}, { kind: 'not_found' }],
  [400, { Errors: [{ Code: '1', Description: 'Barcode not valid' }] }, { failure: 'invalid_number' }],
  [200, {}, { failure: 'unreadable' }],
  [401, { fault: { faultstring: 'Invalid ApiKey' } }, { failure: 'auth' }],
  [429, {}, { failure: 'rate_limited' }],
  [500, {}, { failure: 'transient' }],
])('HTTP %i %j is %j', (status, body, expected) => {
  expect(ask(body, status)).toMatchObject(expected);
});
