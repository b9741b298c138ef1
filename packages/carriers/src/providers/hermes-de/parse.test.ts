import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { meaningOfEvent, outcomeOf, parseShipmentInfo } from './parse.ts';

testFixtures(import.meta.url, parseShipmentInfo, 'hermes-de');

const ask = (body: unknown, status = 200, numbers = ['A1']) =>
  parseShipmentInfo(
    response(body, status),
    numbers.map((number) => ({ number, carrier: 'hermes-de' })),
  );

// The wordings of the documentation.
// biome-ignore format: one event per line is readable as a table
test.each([
  ['0000', 'The shipment has been notified to Hermes electronically.', { status: 'info_received' }],
  ['0600', 'The notified shipment has not yet arrived at the expected Hermes destination depot.', { status: 'info_received' }],
  ['1000', 'The shipment has left the clients warehouse.', { status: 'in_transit' }],
  ['1720', 'Customs clearance was successfully completed.', { status: 'in_transit' }],
  ['1730', 'Shipment is held by customs in Berlin.', { status: 'exception', problem: 'customs' }],
  ['2400', 'The shipment has been handed in at the Kiosk ParcelShop.', { status: 'in_transit' }],
  ['3000', 'The shipment has gone out on a delivery route. Delivery is expected today.', { status: 'out_for_delivery' }],
  ['3410', 'The shipment is available for collection from the Hermes ParcelShop Kiosk.', { status: 'available_for_pickup' }],
  ['3530', 'The shipment has been collected by the recipient from the Hermes ParcelShop Kiosk.', { status: 'delivered' }],
  ['3710', 'The shipment was not accepted when delivery was attempted and its on way back to the nearest Hermes distribution centre.', { course: 'refused' }],
  ['3731', 'The recipient was not present. Hermes will make another delivery attempt.', { problem: 'recipient_unavailable' }],
  ['4035', 'The shipment was not collected from the Hermes ParcelShop within 10 days.', { status: 'undeliverable' }],
  ['6083', 'The shipment is on its way back to the client.', { course: 'going_back' }],
  ['7500', 'The return/return shipment has arrived at the client.', { status: 'returned' }],
  ['9340', 'The shipment has been cancelled.', { problem: 'cancelled' }],
])('%s "%s" is %j', (code, text, expected) => {
  expect(meaningOfEvent(code, text)).toMatchObject(expected);
});

test.each(['9040', '9322', '9394', '9399', '4690'])('%s is news about papers', (code) => {
  expect(meaningOfEvent(code, '')).toBe('informational');
});

test('the forecast is a time slot, or a day, in German time', () => {
  const [answer] = ask(readFixture(import.meta.url, 'batch.json'), 200, ['H1000987654321003']);
  expect(answer).toMatchObject({
    estimatedDelivery: { from: '2031-01-20T09:00:00Z', to: '2031-01-20T17:00:00Z' },
    destination: 'Hamburg, DE',
  });
  const status = [{ timestamp: '2031-01-19T08:00:00+01:00', code: '2000', description: '' }];
  const shipmentinfo = [{ shipmentID: 'A1', status, deliveryForecast: { date: '2031-01-20' } }];
  expect(ask({ shipmentinfo })).toMatchObject([{ estimatedDelivery: { from: '2031-01-20', to: '2031-01-20' } }]);
});

test.each([
  ['e001', 'not_found'],
  ['e005', 'invalid_number'],
  ['e900', 'auth'],
  ['e903', 'transient'],
  ['e999', 'transient'],
  ['', 'unreadable'],
])('the result %s is %s', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
});

test.each([
  [400, { listOfResultCodes: [{ code: 'e005', message: '' }] }, { failure: 'temporary', isOfOne: true }],
  [403, { listOfResultCodes: [{ code: 'e900', message: '' }] }, { failure: 'auth' }],
  [500, { listOfResultCodes: [{ code: 'e999', message: '' }] }, { failure: 'transient' }],
  [401, {}, { failure: 'auth' }],
  [429, {}, { failure: 'rate_limited' }],
  [502, '<html>', { failure: 'transient' }],
  [200, {}, { failure: 'unreadable' }],
])('HTTP %i %j is %j for all numbers of a call', (status, body, expected) => {
  expect(ask(body, status, ['A1', 'B2'])).toMatchObject([expected, expected]);
});
