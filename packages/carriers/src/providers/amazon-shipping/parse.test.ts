import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { amazonShipping } from './index.ts';
import { parseTracking } from './parse.ts';

testFixtures(import.meta.url, amazonShipping.parse, 'amazon');

const ask = (body: unknown, status = 200, number = 'A1') =>
  parseTracking(response(body, status), { number, carrier: 'amazon' });

// biome-ignore format: one code per line is readable as a table
test.each([
  ['ReadyForReceive', { status: 'info_received' }],
  ['PickupDone', { status: 'in_transit' }],
  ['ArrivedAtCarrierFacility', { status: 'in_transit' }],
  ['OutForDelivery', { status: 'out_for_delivery' }],
  ['AvailableForPickup', { status: 'available_for_pickup' }],
  ['Delivered', { status: 'delivered' }],
  ['DeliveryAttempted', { status: 'exception' }],
  ['Rejected', { status: 'exception', course: 'refused' }],
  ['ReturnInitiated', { status: 'exception', course: 'going_back' }],
  ['Undeliverable', { status: 'undeliverable' }],
  ['NewCode', { status: 'in_transit', description: 'New code' }],
])('the event %s is %j, also after its words are read', (eventCode, expected) => {
  const eventHistory = [{ eventCode, eventTime: '2031-05-02T10:00:00Z' }];
  expect(ask({ payload: { trackingId: 'A1', eventHistory } })).toMatchObject({ scans: [expected] });
});

test('the promise is the estimate until the delivery', () => {
  const body = JSON.parse(readFixture(import.meta.url, 'delivered.json'));
  expect(ask(body, 200, 'Q00000000004')).not.toHaveProperty('estimatedDelivery');
  const payload = { ...body.payload, summary: { status: 'InTransit' } };
  expect(ask({ payload }, 200, 'Q00000000004')).toMatchObject({
    estimatedDelivery: { from: '2031-05-03T21:59:59Z', to: '2031-05-03T21:59:59Z' },
  });
});

test.each([
  [404, { errors: [{ code: 'NotFound', message: 'Resource not found' }] }, { kind: 'not_found' }],
  [400, { errors: [{ code: 'InvalidInput', message: 'trackingId is malformed' }] }, { failure: 'invalid_number' }],
  [400, { errors: [{ code: 'InvalidInput', message: 'carrierId is not supported' }] }, { failure: 'unreadable' }],
  [403, { errors: [{ code: 'Unauthorized', message: 'Access denied' }] }, { failure: 'auth' }],
  [429, { errors: [{ code: 'QuotaExceeded', message: '' }] }, { failure: 'rate_limited' }],
  [404, {}, { failure: 'transient' }],
  [200, {}, { failure: 'unreadable' }],
  [500, {}, { failure: 'transient' }],
])('HTTP %i %j is %j', (status, body, expected) => {
  expect(ask(body, status)).toMatchObject(expected);
});
