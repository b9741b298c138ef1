import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { meaningOfStep, outcomeOfFault, parseTrackingData } from './parse.ts';

testFixtures(import.meta.url, parseTrackingData, 'dpd');

const ask = (text: string, status = 200) =>
  parseTrackingData(response(text, status), [{ number: 'A1', carrier: 'dpd' }])[0];
const at = (date: string) =>
  ask(`<trackingresult><statusInfo><status>Depot</status><date>${date}</date></statusInfo></trackingresult>`);

// biome-ignore format: one date per line is readable as a table
test.each([
  ['2/3/2031 12:05:11 AM', '2031-02-02T23:05:11Z'],
  ['2/3/2031 12:05:11 PM', '2031-02-03T11:05:11Z'],
  ['02/03/2031 1:05 pm', '2031-02-03T12:05:00Z'],
  ['19/08/2031 05:11', '2031-08-19T03:11:00Z'],
  ['02-03-2031 17:05', '2031-03-02T16:05:00Z'],
  ['02.03.2031 17:05:06', '2031-03-02T16:05:06Z'],
  ['02.03.2031, 17:05', '2031-03-02T16:05:00Z'],
  ['2031-03-02T17:05:06.123', '2031-03-02T16:05:06Z'],
])('the date %s is %s', (date, time) => {
  expect(at(date)).toMatchObject({ scans: [{ time, timeRaw: date }] });
});

test.each(['soon', '2/30/2031 12:05:11 AM', '13/13/2031 05:11'])('a step at %s is unreadable', (date) => {
  expect(at(date)).toMatchObject({ failure: 'unreadable' });
});

test('an answer that is neither a result nor a fault is unreadable', () => {
  expect(ask('<Envelope><Body/></Envelope>')).toMatchObject({ failure: 'unreadable' });
  expect(ask('<html>', 500)).toMatchObject({ failure: 'transient' });
});

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
