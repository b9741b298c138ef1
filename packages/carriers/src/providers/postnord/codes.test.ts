import { meaningOfEvent, meaningOfState, outcomeOfFault } from './codes.ts';

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
  ['DELAYED', 'exception'],
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
