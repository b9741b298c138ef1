import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { parseParcels } from './parse.ts';

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
