import { response } from '../../testing/answers.ts';
import { readFixture, testFixtures } from '../../testing/fixtures.ts';
import { meaningOfEvent, meaningOfState, outcomeOfFault, parseTrackAndTrace } from './parse.ts';

testFixtures(import.meta.url, parseTrackAndTrace, 'postnord');

const ask = (file: string, number: string) =>
  parseTrackAndTrace(response(readFixture(import.meta.url, file)), [{ number, carrier: 'postnord' }])[0];

test('the items of a shipment are its pieces', () => {
  expect(ask('pieces.json', '00373501234567890128')).toMatchObject({ pieces: { total: 2, delivered: 1 } });
});

test('when one item of a shipment is queried, only that item counts', () => {
  const answer = ask('pieces.json', '00373501234567890142');
  expect(answer?.kind === 'found' && answer.scans).toMatchObject([{ status: 'available_for_pickup' }]);
  expect(answer).not.toHaveProperty('pieces');
});

test('times without an offset are those of the country of the scan', () => {
  const answer = ask('en_route.json', '84901736402SE');
  const known = answer?.kind === 'found' ? answer.scans.map(({ timeRaw, zoneSource }) => [timeRaw, zoneSource]) : [];
  expect(known.slice(2)).toEqual([
    ['2031-04-14T08:00:00', 'location'],
    ['2031-04-14T06:30:00Z', 'carrier'],
  ]);
  expect(answer).toMatchObject({ estimatedDelivery: { from: '2031-04-15T12:00:00Z' } });
});

test('a single item or event is read as a list of one, and a place may be a text', () => {
  const events = { eventTime: '2031-04-14T08:00:00', eventDescription: 'Sorted', location: 'Lund' };
  const shipments = { shipmentId: 'A1', status: 'EN_ROUTE', items: { itemId: 'A1', events } };
  const body = { TrackingInformationResponse: { shipments } };
  expect(parseTrackAndTrace(response(body), [{ number: 'A1', carrier: 'postnord' }])).toMatchObject([
    { scans: [{ time: '2031-04-14T06:00:00Z', location: 'Lund', description: 'Sorted' }] },
  ]);
});

test.each(['status', 'eventStatus'])('the state of an event is its %s', (name) => {
  const events = [{ eventTime: '2031-04-14T08:00:00Z', eventDescription: 'x', [name]: 'DELIVERY' }];
  const shipments = [{ shipmentId: 'A1', items: [{ itemId: 'A1', events }] }];
  const body = { TrackingInformationResponse: { shipments } };
  expect(parseTrackAndTrace(response(body), [{ number: 'A1', carrier: 'postnord' }])).toMatchObject([
    { scans: [{ status: 'out_for_delivery' }] },
  ]);
});

test.each(['{}', '{"TrackingInformationResponse":{}}'])('%s is unreadable', (text) => {
  const answers = parseTrackAndTrace(response(text), [{ number: 'A1', carrier: 'postnord' }]);
  expect(answers).toMatchObject([{ failure: 'unreadable' }]);
});

// biome-ignore format: one state per line is readable as a table
test.each([
  ['CREATED', 'info_received'],
  ['INFORMED', 'info_received'],
  ['INFORMATION_RECEIVED', 'info_received'],
  ['EN_ROUTE', undefined],
  ['EXPECTED_DELAY', undefined],
  ['OTHER', undefined],
  ['OUT_FOR_DELIVERY', 'out_for_delivery'],
  ['AVAILABLE_FOR_DELIVERY', 'available_for_pickup'],
  ['AVAILABLE_FOR_DELIVERY_PAR_LOC', 'available_for_pickup'],
  ['READY_FOR_PICKUP', 'available_for_pickup'],
  ['DELIVERED', 'delivered'],
  ['DELAYED', 'in_transit'],
  ['STOPPED', 'exception'],
  ['DELIVERY_IMPOSSIBLE', 'undeliverable'],
  ['DELIVERY_REFUSED', 'exception'],
  ['RETURNING', 'exception'],
  ['RETURNED', 'returned'],
])('%s is %s', (state, status) => {
  expect(meaningOfState(state)?.status).toBe(status);
});

test('refused and returning have a course', () => {
  expect([meaningOfState('DELIVERY_REFUSED')?.course, meaningOfState('RETURNING')?.course]).toEqual([
    'refused',
    'going_back',
  ]);
});

test('an event without a specific state is read by its text', () => {
  expect(meaningOfEvent('', 'The item is out for delivery')?.status).toBe('out_for_delivery');
  expect(meaningOfEvent('EN_ROUTE', 'The item has been sorted')).toBeUndefined();
});

test.each([
  ['NO_SHIPMENT_FOUND', 'not_found'],
  ['SHIPMENT_NOT_FOUND', 'not_found'],
  ['The apikey is not valid', 'auth'],
  ['RATE_LIMIT', 'rate_limited'],
  ['INVALID_ID The id has an invalid format', 'invalid_number'],
  ['ERROR Try again', 'temporary'],
  ['ERROR The information cannot be generated', 'temporary'],
])('the fault %s is %s', (text, outcome) => {
  expect(outcomeOfFault(text)).toBe(outcome);
});
