import { fixturesBeside, response, summaryOf } from '../../testing/answers.ts';
import { parseDetails } from './parse.ts';

const NUMBER = '1Z999AA10123456784';
const ASKED = { number: NUMBER, carrier: 'ups' };
const parse = (body: unknown, status?: number) => parseDetails(response(body, status), ASKED);

const FIXTURES = fixturesBeside(import.meta.url);
test.each(FIXTURES)('%s is read as expected', (_file, text, expected) => {
  expect(summaryOf(parse(text))).toEqual(expected);
});

const address = { city: 'Fennbrook', stateProvince: 'OH', countryCode: 'US' };
const activity = (status: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  location: { address },
  status: { type: 'I', description: 'Departed from Facility', ...status },
  date: '20310501',
  time: '080000',
  ...more,
});
const details = (activities: unknown[], piece: Record<string, unknown> = {}) => ({
  trackResponse: { shipment: [{ inquiryNumber: NUMBER, package: [{ activity: activities, ...piece }] }] },
});
const scans = (...activities: unknown[]) => {
  const answer = parse(details(activities));
  return answer.kind === 'found' ? answer.scans.toReversed() : [answer];
};

test('a shipment of several packages is delivered when all of them are', () => {
  const [, text = ''] = FIXTURES.find(([file]) => file === 'two_packages.json') ?? [];
  expect(parse(text)).toMatchObject({ pieces: { total: 2, delivered: 1 } });
  expect(parse(details([activity({ type: 'D' })]))).not.toHaveProperty('pieces');
});

test('a package queried by its own number is not about another number, even if it has another number as well', () => {
  const [, text = ''] = FIXTURES.find(([file]) => file === 'two_packages.json') ?? [];
  const requested = { number: '1Z999AA10123456793', carrier: 'ups' };
  expect(parseDetails(response(text), requested)).not.toHaveProperty('otherNumber');
  const post = { alternateTrackingNumber: [{ number: '92001903060085300042901077', type: 'USPS_PIC' }] };
  const answer = parseDetails(response(details([activity({})], post)), {
    ...requested,
    number: '92001903060085300042901077',
  });
  expect(answer).not.toHaveProperty('otherNumber');
  const other = parseDetails(response(details([activity({})])), { ...requested, number: '1Z999AA10000000099' });
  expect(other).toMatchObject({ otherNumber: NUMBER });
});

test.each([
  ['GMT with colons', { gmtDate: '20310501', gmtTime: '12:00:05' }, '2031-05-01T12:00:05Z', 'carrier'],
  ['GMT without its leading zero', { gmtDate: '20310501', gmtTime: '74705' }, '2031-05-01T07:47:05Z', 'carrier'],
  ['GMT of the next day', { gmtDate: '20310502', gmtTime: '000500' }, '2031-05-02T00:05:00Z', 'carrier'],
  ['the offset alone', { gmtOffset: '-05:00' }, '2031-05-01T13:00:00Z', 'carrier'],
  ['the place alone', {}, '2031-05-01T12:00:00Z', 'location'],
  [
    'a place without a country, which is in the United States',
    { location: { address: { city: 'MEMPHIS', stateProvince: 'TN' } } },
    '2031-05-01T13:00:00Z',
    'location',
  ],
  ['no time of day', { time: '' }, '2031-05-01T04:00:00Z', 'location'],
  ['no place', { location: {} }, '2031-05-01T12:00:00Z', 'default'],
])('a time is read from %s', (_what, more, time, zoneSource) => {
  expect(scans(activity({}, more))).toMatchObject([{ time, zoneSource }]);
});

test('an unreadable time fails the answer, because a partial history would look complete', () => {
  expect(scans(activity({}), activity({}, { date: 'soon' }))).toMatchObject([{ failure: 'unreadable' }]);
});

test.each([
  ['M', 'MP', '003', 'Shipper created a label', 'info_received'],
  ['MV', 'VP', '007', 'Shipment voided', 'exception'],
  ['P', 'OR', '038', 'Pickup Scan', 'in_transit'],
  ['I', 'AR', '005', 'Arrived at Facility', 'in_transit'],
  ['I', 'OT', '', 'Out For Delivery', 'out_for_delivery'],
  ['I', '', '021', 'On the way', 'out_for_delivery'],
  ['O', '', '', 'On Vehicle', 'out_for_delivery'],
  ['D', 'FS', '011', 'DELIVERED', 'delivered'],
  ['D', '2Q', '040', 'Delivered to UPS Access Point', 'available_for_pickup'],
  ['X', 'ZR', '', 'The package is held at a UPS Access Point', 'available_for_pickup'],
  ['I', 'ZP', '', 'Package is at the Access Point, awaiting customer pickup', 'available_for_pickup'],
  ['X', 'SR', '003', 'Your package was released by the customs agency.', 'in_transit'],
  ['X', 'DY', '046', 'Delayed by weather', 'in_transit'],
  ['X', 'UR', '', 'The address is wrong', 'undeliverable'],
  ['RS', '', '', 'Returned to sender', 'returned'],
  ['DO', '', '', 'Delivered', 'in_transit'],
  ['DD', '', '', 'Delivered', 'in_transit'],
  ['W', '', '', 'Held in the warehouse', 'in_transit'],
  ['', '', '', 'Delivered', 'delivered'],
  ['?', '', '', 'Something new', 'in_transit'],
])('type %s, code %s, statusCode %s, %j is %s', (type, code, statusCode, description, status) => {
  expect(scans(activity({ type, code, statusCode, description }))).toMatchObject([{ status }]);
});

test('a parcel on its way back is not returned yet, and a refusal is reported', () => {
  expect(scans(activity({ type: 'RS', description: 'Returning to Sender' }))).toMatchObject([
    { status: 'exception', course: 'going_back' },
  ]);
  expect(
    scans(activity({ type: 'X', code: 'RS', description: 'The package will be returned to the sender.' })),
  ).toMatchObject([{ course: 'going_back' }]);
  expect(scans(activity({ type: 'X', code: 'RF', description: 'The receiver refused it.' }))).toMatchObject([
    { status: 'exception', course: 'refused' },
  ]);
});

test('a changed delivery date and a non-physical scan change no status', () => {
  const out = activity({ type: 'I', code: 'OT', description: 'Out For Delivery' });
  const changed = activity({ type: 'U', description: 'The delivery date changed.' }, { time: '090000' });
  const logical = activity({ type: 'I', code: 'XX' }, { time: '100000', logicalScan: true });
  expect(scans(logical, changed, out).map((scan) => 'status' in scan && scan.status)).toEqual(
    Array(3).fill('out_for_delivery'),
  );
});

test('of several shipments with one number, the one with the newest activity counts', () => {
  const shipment = (date: string, type: string) => ({
    inquiryNumber: NUMBER,
    package: [{ activity: [activity({ type }, { date })] }],
  });
  const answer = parse({ trackResponse: { shipment: [shipment('20300101', 'D'), shipment('20310501', 'I')] } });
  expect(summaryOf(answer)).toEqual([['2031-05-01T12:00:00Z', 'in_transit', 'Fennbrook, OH, US']]);
});

test.each([
  ['a number without news', 404, { response: { errors: [{ code: 'TW0001', message: '' }] } }, 'not_found'],
  ['another code of a missing number', 404, { response: { errors: [{ code: 'TW0002', message: '' }] } }, 'not_found'],
  ['a wrong address', 404, { response: { errors: [{ code: '404', message: '' }] } }, 'transient'],
  ['a page', 404, '<html>', 'transient'],
  ['an invalid number', 400, { response: { errors: [{ code: 'TV1002', message: '' }] } }, 'invalid_number'],
  ['an unknown error', 400, { response: { errors: [{ code: 'TX9', message: '' }] } }, 'unreadable'],
  ['a blocked merchant', 403, '', 'auth'],
  ['too many calls', 429, '', 'rate_limited'],
  ['trouble', 500, { response: { errors: [{ code: '10004', message: '' }] } }, 'transient'],
  ['no shipment', 200, { trackResponse: {} }, 'unreadable'],
  ['an empty list of shipments', 200, { trackResponse: { shipment: [] } }, 'not_found'],
  ['a shipment without activity', 200, details([]), 'not_found'],
])('%s (HTTP %i) is reported as such', (_what, status, body, expected) => {
  expect(summaryOf(parse(body, status))).toBe(expected);
});

test.each([
  [{ type: 'O', description: 'Out For Delivery Today' }, 'out_for_delivery'],
  [{ type: 'M', code: 'MP', description: 'Label made' }, 'info_received'],
  [{ code: 'D', description: '' }, 'delivered'],
  [{ code: '011', description: 'Delivered' }, 'delivered'],
  [{ description: '', simplifiedTextDescription: 'Out for Delivery' }, 'out_for_delivery'],
])('the current status of a package without activity is its status: %j', (currentStatus, parcelStatus) => {
  const shipment = [{ inquiryNumber: NUMBER, package: [{ trackingNumber: NUMBER, currentStatus }] }];
  expect(parse({ trackResponse: { shipment } })).toEqual({ kind: 'found', scans: [], parcelStatus });
});

test('the estimate is the rescheduled day before the scheduled one, with its hours, at the destination', () => {
  const estimate = (piece: Record<string, unknown>) => {
    const packageAddress = [{ type: 'DESTINATION', address: { stateProvince: 'CA', countryCode: 'US' } }];
    const answer = parse(details([activity({})], { packageAddress, ...piece }));
    return answer.kind === 'found' ? answer.estimatedDelivery : undefined;
  };
  const deliveryDate = [
    { type: 'SDD', date: '20310503' },
    { type: 'RDD', date: '20310504' },
  ];
  expect(estimate({ deliveryDate })).toEqual({ from: '2031-05-04', to: '2031-05-04' });
  const deliveryTime = { type: 'EDW', startTime: '130000', endTime: '170000' };
  expect(estimate({ deliveryDate, deliveryTime })).toEqual({
    from: '2031-05-04T20:00:00Z',
    to: '2031-05-05T00:00:00Z',
  });
  expect(estimate({ deliveryDate: [...deliveryDate, { type: 'DEL', date: '20310502' }] })).toBeUndefined();
  expect(estimate({ deliveryDate: [{ type: 'SDD', date: 'string' }] })).toBeUndefined();
});
