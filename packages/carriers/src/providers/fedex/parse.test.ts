import { fixturesBeside, response, summaryOf } from '../../testing/answers.ts';
import { parseTrackingNumbers } from './parse.ts';

const [A, B] = ['770000000018', '770000000029'];
const requested = (...numbers: string[]) => numbers.map((number) => ({ number, carrier: 'fedex' }));
const parse = (body: unknown, status?: number, numbers: string[] = [A]) =>
  parseTrackingNumbers(response(body, status), requested(...numbers));

const FIXTURES = fixturesBeside(import.meta.url);
test.each(FIXTURES)('%s is read as expected', (_file, text, expected) => {
  expect(summaryOf(parse(text)[0])).toEqual(expected);
});

const scanLocation = { city: 'GREYWATER', stateOrProvinceCode: 'IL', countryCode: 'US' };
const event = (more: Record<string, unknown> = {}) => ({
  date: '2031-02-01T08:00:00-06:00',
  eventType: 'IT',
  derivedStatusCode: 'IT',
  eventDescription: 'In transit',
  scanLocation,
  ...more,
});
const result = (trackingNumber: string, ...trackResults: unknown[]) => ({ trackingNumber, trackResults });
const output = (...completeTrackResults: unknown[]) => ({ output: { completeTrackResults } });
const scans = (...scanEvents: unknown[]) => {
  const [answer] = parse(output(result(A, { scanEvents })));
  return answer?.kind === 'found' ? answer.scans.toReversed() : [answer];
};

test('results are matched by number, in any order, and fail individually', () => {
  const error = (code: string) => ({ error: { code, message: '' } });
  const answer = output(
    result('770000000031', error('TRACKING.TRACKINGNUMBER.INVALID')),
    result('770000000040', error('SYSTEM.UNAVAILABLE.EXCEPTION')),
    result(B, error('TRACKING.TRACKINGNUMBER.NOTFOUND')),
    result('7700 0000 0018', { scanEvents: [event()] }),
  );
  const numbers = [A, B, '770000000031', '770000000040', '770000000055'];
  expect(parse(answer, 200, numbers).map((each) => (each.kind === 'failed' ? each.failure : each.kind))).toEqual([
    'found',
    'not_found',
    'invalid_number',
    'temporary',
    'unreadable',
  ]);
});

test.each([
  ['OC', { code: 'CA', description: 'Shipment cancelled' }, 'info_received', 'exception'],
  ['OC', { code: 'OC', derivedCode: 'IN', description: 'Label created' }, 'info_received', undefined],
  ['OC', undefined, 'info_received', undefined],
  ['IT', { code: 'OC', description: 'Label created' }, 'in_transit', undefined],
])(
  'if only an announcement (%s) is listed, the latest status decides: %j',
  (eventType, latestStatusDetail, status, parcel) => {
    const scanEvents = [event({ eventType, derivedStatusCode: '', eventDescription: '' })];
    const [answer] = parse(output(result(A, { latestStatusDetail, scanEvents })));
    const [scan] = answer?.kind === 'found' ? answer.scans : [];
    expect([scan?.status, scan?.parcel?.status]).toEqual([status, parcel]);
  },
);

test('data next to an error is used', () => {
  const error = { code: 'TRACKING.TRACKINGNUMBER.EMPTY', message: 'Please provide tracking number.' };
  expect(summaryOf(parse(output(result(A, { error, scanEvents: [event()] })))[0])).toHaveLength(1);
});

test('of several parcels with one number, the one with the newest scan counts, at any position', () => {
  const old = { scanEvents: [event({ date: '2029-02-01T08:00:00-06:00', eventType: 'DL' })] };
  const recent = { scanEvents: [event()] };
  for (const results of [
    [result(A, old, recent)],
    [result(A, recent, old)],
    [result(A, old), result(A, recent)],
    [result(A, { error: { code: 'TRACKING.TRACKINGNUMBER.NOTFOUND' } }, recent)],
  ]) {
    expect(summaryOf(parse(output(...results))[0])).toEqual([
      ['2031-02-01T14:00:00Z', 'in_transit', 'GREYWATER, IL, US'],
    ]);
  }
});

test.each([
  [{ code: 'DL', derivedCode: 'DL' }, 'delivered'],
  [{ code: 'ZZ', derivedCode: 'OD' }, 'out_for_delivery'],
  [{ statusByLocale: 'On FedEx vehicle for delivery' }, 'out_for_delivery'],
])('the latest status of a parcel without scans is its status: %j', (latestStatusDetail, parcelStatus) => {
  expect(parse(output(result(A, { latestStatusDetail, scanEvents: [] })))).toEqual([
    { kind: 'found', scans: [], parcelStatus },
  ]);
});

test.each([
  ['its own offset', {}, '2031-02-01T14:00:00Z', 'carrier'],
  ['the place', { date: '2031-02-01T08:00:00' }, '2031-02-01T14:00:00Z', 'location'],
  ['the neighboring event', { date: '2031-02-01T08:00:00', scanLocation: {} }, '2031-02-01T15:00:00Z', 'default'],
])('a time has the offset of %s', (_what, more, time, zoneSource) => {
  const neighbor = event({ date: '2031-01-31T08:00:00-07:00' });
  expect(scans(event(more), neighbor).at(-1)).toMatchObject({ time, zoneSource });
});

test.each([
  ...'OC OX EP MD RP RG RD LP'.split(' ').map((code) => [code, 'info_received']),
  ...'PU PX OF AP IT IX AA AC AF AR AX DP EA EO FD LO PF PL PM SF TR'.split(' ').map((code) => [code, 'in_transit']),
  ...'AD ED OD'.split(' ').map((code) => [code, 'out_for_delivery']),
  ...'HL HP'.split(' ').map((code) => [code, 'available_for_pickup']),
  ...'DY DD'.split(' ').map((code) => [code, 'in_transit']),
  ['PY', 'info_received'],
  ...'DE SE CD CA'.split(' ').map((code) => [code, 'exception']),
  ['DL', 'delivered'],
  ...'RS RT'.split(' ').map((code) => [code, 'exception']),
])('the event %s is %s', (eventType, status) => {
  expect(scans(event({ eventType, derivedStatusCode: '', eventDescription: '' }))).toMatchObject([{ status }]);
});

test.each([
  ['the derived status of an unknown event', { eventType: 'ZZ', derivedStatusCode: 'DL' }, { status: 'delivered' }],
  [
    'the text without a known code',
    { eventType: 'ZZ', derivedStatusCode: '', eventDescription: 'Delivered' },
    { status: 'delivered' },
  ],
  ['on its way back', { eventType: 'RS', eventDescription: 'Returning package to shipper' }, { course: 'going_back' }],
  ['refused', { eventType: 'DE', exceptionDescription: 'Shipment Refused by Recipient' }, { course: 'refused' }],
  [
    'delivered to wait',
    { eventType: 'DL', eventDescription: 'Ready for customer pickup' },
    { status: 'available_for_pickup' },
  ],
])('%s is read', (_what, more, expected) => {
  expect(scans(event(more))).toMatchObject([expected]);
});

test.each(['AO', 'RR'])('changed shipment data (%s) changes no status', (eventType) => {
  const changed = event({ date: '2031-02-02T08:00:00-06:00', eventType, eventDescription: 'Delivery updated' });
  expect(scans(changed, event({ eventType: 'OD' }))).toMatchObject(Array(2).fill({ status: 'out_for_delivery' }));
});

test('an exception has its reason, other events only their description', () => {
  const why = { exceptionDescription: 'Customer not available' };
  expect(scans(event({ ...why, eventType: 'DE', eventDescription: 'Delivery exception' }))).toMatchObject([
    { description: 'Delivery exception: Customer not available' },
  ]);
  expect(scans(event(why))).toMatchObject([{ description: 'In transit' }]);
});

test.each([
  [400, { errors: [{ code: 'TRACKING.TRACKINGNUMBER.EMPTY', message: '' }] }, 'temporary'],
  [200, {}, 'unreadable'],
  [401, {}, 'auth'],
  [403, { errors: [{ code: 'FORBIDDEN.ERROR' }] }, 'auth'],
  [404, {}, 'transient'],
  [429, {}, 'rate_limited'],
  [503, {}, 'transient'],
])('HTTP %i %j fails every number: %s', (status, body, failure) => {
  expect(parse(body, status, [A, B])).toMatchObject([{ failure }, { failure }]);
});

test('the refusal of a single number is that number’s fault', () => {
  const body = { errors: [{ code: 'TRACKING.TRACKINGNUMBER.INVALID', message: 'Invalid tracking number' }] };
  expect(parse(body, 400)).toMatchObject([{ failure: 'invalid_number' }]);
});

test('the estimate is the window, or the day, until it was delivered', () => {
  const estimate = (more: Record<string, unknown>) => {
    const [answer] = parse(output(result(A, { scanEvents: [event()], ...more })));
    return answer?.kind === 'found' ? answer.estimatedDelivery : undefined;
  };
  const estimatedDeliveryTimeWindow = {
    window: { begins: '2031-02-03T14:00:00-06:00', ends: '2031-02-03T18:00:00-06:00' },
  };
  const day = { type: 'ESTIMATED_DELIVERY', dateTime: '2031-02-03T20:00:00-06:00' };
  expect(estimate({ estimatedDeliveryTimeWindow, dateAndTimes: [day] })).toEqual({
    from: '2031-02-03T20:00:00Z',
    to: '2031-02-04T00:00:00Z',
  });
  expect(estimate({ dateAndTimes: [day] })).toEqual({ from: '2031-02-04T02:00:00Z', to: '2031-02-04T02:00:00Z' });
  const midnight = { ...day, dateTime: '2031-02-03T00:00:00-06:00' };
  expect(estimate({ dateAndTimes: [midnight] })).toEqual({ from: '2031-02-03', to: '2031-02-03' });
  expect(estimate({ dateAndTimes: [day, { ...day, type: 'ACTUAL_DELIVERY' }] })).toBeUndefined();
});

test('a parcel that is held at a location waits there', () => {
  const contact = { companyName: 'Greywater Copy Shop', phoneNumber: '5550100' };
  const address = {
    streetLines: ['12 Mill St', ''],
    postalCode: '60601',
    city: 'GREYWATER',
    stateOrProvinceCode: 'IL',
    countryCode: 'US',
  };
  const held = { holdAtLocation: { locationId: 'GRWA', locationContactAndAddress: { contact, address } } };
  expect(parse(output(result(A, { scanEvents: [event()], ...held })))[0]).toMatchObject({
    pickupPoint: { name: 'Greywater Copy Shop', address: '12 Mill St, 60601 GREYWATER, IL, US' },
  });
  const empty = { holdAtLocation: { locationContactAndAddress: { address: { city: 'GREYWATER' } } } };
  expect(parse(output(result(A, { scanEvents: [event()], ...empty })))[0]).not.toHaveProperty('pickupPoint');
});
