import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { bpost } from './index.ts';
import { meaningOf, parseTrackingInfo } from './parse.ts';

testFixtures(import.meta.url, bpost.parse, 'bpost');

const ask = (text: string, status = 200, number = 'A1') =>
  parseTrackingInfo(response(text, status), { number, carrier: 'bpost' });
const item = (stateCode: string, stateDescription: string, time = '2031-11-23T07:11:18.923+01:00') =>
  `<itemTracking><itemCode>A1</itemCode><stateInfo><time>${time}</time><stateCode>${stateCode}</stateCode><stateDescription>${stateDescription}</stateDescription></stateInfo></itemTracking>`;

// biome-ignore format: one state per line is readable as a table
test.each([
  ['T00', 'Sorted - sorted_out', 'in_transit', 'Sorted: Sorted out'],
  ['L00', 'BoundToRound - out_for_distribution', 'out_for_delivery', 'Bound to round: Out for distribution'],
  ['U01', 'DistributedNormally - regular', 'delivered', 'Distributed normally: Regular'],
  ['ZZ9', 'DistributedAbroad', 'delivered', 'Distributed abroad'],
  ['ZZ9', 'Returned to sender', 'returned', 'Returned to sender'],
  ['ZZ9', 'AddresseeRefused - refused_by_addressee', 'exception', 'Addressee refused: Refused by addressee'],
  ['ZZ9', 'SomethingNew', 'in_transit', 'Something new'],
])('the state %s "%s" is %s', (code, text, status, description) => {
  expect(ask(item(code, text))).toMatchObject({ scans: [{ status, description, time: '2031-11-23T06:11:18Z' }] });
});

test('an unknown code has no meaning of its own', () => {
  expect(meaningOf('ZZ9')).toBeUndefined();
});

test('the window is the estimate', () => {
  expect(ask(readFixture(import.meta.url, 'delivered.xml'), 200, '323212345659900040669030')).toMatchObject({
    estimatedDelivery: { from: '2031-11-23T08:00:00Z', to: '2031-11-23T10:00:00Z' },
    destination: 'FENNDORP, BE',
  });
});

const exception = (name: string, code: string, message: string) =>
  `<ns2:${name} xmlns:ns2="http://schema.post.be/api/shm/v1/"><code>${code}</code><message>${message}</message></ns2:${name}>`;

test.each([
  [404, exception('businessException', '404', 'No such item'), { kind: 'not_found' }],
  [200, exception('businessException', '', 'Item not found'), { kind: 'not_found' }],
  [400, exception('businessException', '400', 'Invalid barcode'), { failure: 'invalid_number' }],
  [400, exception('businessException', '401', 'Not allowed'), { failure: 'auth' }],
  [500, exception('systemException', '', 'An unexpected error occurred'), { failure: 'transient' }],
  [200, '<other/>', { failure: 'unreadable' }],
  [401, '', { failure: 'auth' }],
  [429, '', { failure: 'rate_limited' }],
  [502, '<html>', { failure: 'transient' }],
])('HTTP %i %s is %j', (status, text, expected) => {
  expect(ask(text, status)).toMatchObject(expected);
});
