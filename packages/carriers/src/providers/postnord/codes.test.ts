import { outcomeOfFault } from './codes.ts';

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
