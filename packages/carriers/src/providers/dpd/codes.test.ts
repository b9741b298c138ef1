import { meaningOfStep, outcomeOfFault } from './codes.ts';

// biome-ignore format: one status per line is readable as a table
test.each([
  ['PreAdvice', '', 'info_received'],
  ['PickedUp', '', 'in_transit'],
  ['BetweenDepots', '', 'in_transit'],
  ['Depot', '', 'in_transit'],
  ['Courier', '', 'out_for_delivery'],
  ['DeliveryFailure', 'The parcel could not be delivered.', 'exception'],
  ['ParcelShop', '', 'available_for_pickup'],
  ['ReturningFromDelivery', 'After an unsuccessful attempt the parcel is back at the depot.', 'in_transit'],
  ['Delivered', 'The parcel was delivered.', 'delivered'],
  ['Delivered', 'Delivered to a parcel shop', 'available_for_pickup'],
  ['Delivered', 'Returned to the sender', 'returned'],
  ['SomethingNew', 'The parcel is out for delivery.', 'out_for_delivery'],
  ['SomethingNew', 'The parcel moves.', undefined],
])('%s "%s" is %s', (step, text, status) => {
  expect(meaningOfStep(step, text)?.status).toBe(status);
});

test('a failed delivery that was refused has the course of a refusal', () => {
  expect(meaningOfStep('DeliveryFailure', 'The recipient refused the parcel.')?.course).toBe('refused');
});

test.each([
  ['DELICOM_ERR_AUTHENTICATION The token is not valid', 'auth'],
  ['LOGIN_5 The password is wrong', 'auth'],
  ['NO_DATA', 'not_found'],
  ['X No data for this parcel label number', 'not_found'],
  ['WRONG_FORMAT', 'invalid_number'],
  ['TOO_MANY calls', 'rate_limited'],
  ['soap:Server Fault occured', 'transient'],
])('the fault %s is %s', (fault, outcome) => {
  expect(outcomeOfFault(fault)).toBe(outcome);
});
