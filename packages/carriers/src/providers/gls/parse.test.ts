import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { meaningOfEvent, meaningOfState, outcomeOf, parseParcels } from './parse.ts';

testFixtures(import.meta.url, parseParcels, 'gls');

test('an offset without a colon is used', () => {
  const event = {
    code: 'X',
    city: 'Lindental',
    country: 'DE',
    description: '',
    eventDateTime: '2031-10-11T15:24:57-0330',
  };
  const parcels = [{ requested: 'A1', status: 'INTRANSIT', events: [event] }];
  expect(parseParcels(response({ parcels }), [{ number: 'A1', carrier: 'gls' }])).toMatchObject([
    { scans: [{ time: '2031-10-11T18:54:57Z', zoneSource: 'carrier', status: 'in_transit' }] },
  ]);
});

test('an answer without parcels is unreadable', () => {
  expect(parseParcels(response({}), [{ number: 'A1', carrier: 'gls' }])).toMatchObject([{ failure: 'unreadable' }]);
});

test('a parcel with a state and no events has that status', () => {
  const parcels = [{ requested: 'A1', unitno: 'A1', status: 'INDELIVERY' }];
  expect(parseParcels(response({ parcels }), [{ number: 'A1', carrier: 'gls' }])).toEqual([
    { kind: 'found', scans: [], parcelStatus: 'out_for_delivery' },
  ]);
});

test('a parcel that is delivered today is out for delivery, whatever its state', () => {
  const event = {
    code: 'OUTDEL.NORMAL',
    country: 'IE',
    description: 'Expected today.',
    eventDateTime: '2031-08-03T07:00:00+0200',
  };
  const parcels = [{ requested: 'A1', status: 'INTRANSIT', events: [event] }];
  expect(parseParcels(response({ parcels }), [{ number: 'A1', carrier: 'gls' }])).toMatchObject([
    { scans: [{ status: 'out_for_delivery' }] },
  ]);
});

// biome-ignore format: one state per line is readable as a table
test.each([
  ['PLANNEDPICKUP', 'info_received'],
  ['INPICKUP', 'info_received'],
  ['PREADVICE', 'info_received'],
  ['INTRANSIT', 'in_transit'],
  ['INWAREHOUSE', 'in_transit'],
  ['INDELIVERY', 'out_for_delivery'],
  ['DELIVERED', 'delivered'],
  ['DELIVEREDPS', 'available_for_pickup'],
  ['NOTDELIVERED', 'exception'],
  ['NOTPICKEDUP', 'exception'],
  ['CANCELED', 'exception'],
  ['FINAL', undefined],
])('%s is %s', (state, status) => {
  expect(meaningOfState(state)?.status).toBe(status);
});

// biome-ignore format: one event per line is readable as a table
test.each([
  ['INTIAL.PREADVICE', '', 'info_received'],
  ['INTIAL.NORMAL', 'The parcel was handed over to GLS.', undefined],
  ['INTIAL.E48_DATA', 'The sender has the parcel ready.', 'info_received'],
  ['INDELIVERY.NORMAL', '', 'out_for_delivery'],
  ['DELIVD.NORMAL', '', 'delivered'],
  ['DELIVD.NORMAL', 'The parcel was delivered to a neighbour.', 'delivered'],
  ['DELIVD.OTHER', 'The parcel could not be delivered as the consignee was absent.', 'exception'],
  ['DELIVD.PARCELSHOP', '', 'available_for_pickup'],
  ['NOTDELIVERED.ABSENT', 'Nobody was at home.', 'exception'],
  ['OTHER.NORMAL', 'The parcel is out for delivery.', 'out_for_delivery'],
])('the event %s "%s" is %s', (code, text, status) => {
  expect(meaningOfEvent(code, text)?.status).toBe(status);
});

test('a failed delivery that was refused has the course of a refusal', () => {
  expect(meaningOfEvent('NOTDELIVERED.OTHER', 'The recipient refused the parcel.')?.course).toBe('refused');
});

test.each([
  ['E_404_01', 'not_found'],
  ['E_400_07', 'invalid_number'],
  ['E_401_01', 'auth'],
  ['E_403_01', 'auth'],
  ['E_429_01', 'rate_limited'],
  ['E_500_01', 'temporary'],
  ['?', 'temporary'],
])('the error %s is %s', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
});
