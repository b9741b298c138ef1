import { fixturesBeside, response, summaryOf } from '../../testing/answers.ts';
import { parseTracking } from './parse.ts';

const [A, B] = ['9400100000000000000017', '9400100000000000000024'];
const parse = (body: unknown, status?: number, numbers: string[] = [A]) =>
  parseTracking(
    response(body, status),
    numbers.map((number) => ({ number, carrier: 'usps' })),
  );

test.each(fixturesBeside(import.meta.url))('%s is read as expected', (_file, text, expected) => {
  expect(summaryOf(parse(text)[0])).toEqual(expected);
});

const event = (more: Record<string, unknown> = {}) => ({
  eventType: 'Processed Through Facility',
  eventCode: '10',
  eventTimestamp: '2031-02-01T16:00:00',
  eventCity: 'GREYWATER',
  eventState: 'IL',
  eventCountry: null,
  ...more,
});
const entry = (trackingEvents: unknown[], more: Record<string, unknown> = {}) => ({
  trackingNumber: A,
  trackingEvents,
  ...more,
});
const scanOf = (more: Record<string, unknown>) => {
  const [answer] = parse([entry([event(more)])]);
  return answer?.kind === 'found' ? answer.scans[0] : answer;
};

test('results are matched by number, not by position, and fail individually', () => {
  const error = (trackingNumber: string, code: string, message: string) => ({
    trackingNumber,
    error: { code, message },
  });
  const answer = [
    error(B, '404', 'Tracking is not available for this item. Please try again later.'),
    error('9400100000000000000031', '400', 'The tracking number is invalid.'),
    error('9400100000000000000048', '500', 'Something went wrong.'),
    entry([event()]),
  ];
  const numbers = [A, B, '9400100000000000000031', '9400100000000000000048', '9400100000000000000055'];
  expect(parse(answer, 207, numbers).map((each) => (each.kind === 'failed' ? each.failure : each.kind))).toEqual([
    'found',
    'not_found',
    'invalid_number',
    'temporary',
    'unreadable',
  ]);
});

test.each([
  ['GMT', { GMTTimestamp: '2031-02-01T22:00:00Z' }, '2031-02-01T22:00:00Z', 'carrier'],
  ['GMT without its Z', { GMTTimestamp: '2031-02-01T22:00:00' }, '2031-02-01T22:00:00Z', 'carrier'],
  ['local time and an offset', { GMTOffset: '-05:00' }, '2031-02-01T21:00:00Z', 'carrier'],
  ['local time with a false Z', { eventTimestamp: '2031-02-01T16:00:00Z' }, '2031-02-01T22:00:00Z', 'location'],
  [
    'local time abroad',
    { eventState: null, eventCity: 'NARITA', eventCountry: 'JAPAN' },
    '2031-02-01T07:00:00Z',
    'location',
  ],
  ['local time nowhere', { eventState: null, eventCity: null }, '2031-02-01T21:00:00Z', 'default'],
])('a time is read from %s', (_what, more, time, zoneSource) => {
  expect(scanOf(more)).toMatchObject({ time, zoneSource });
});

test.each([
  ['2031-02-01T18:26:00', '2031-02-01T00:26:14Z', '-06:00', '2031-02-02T00:26:14Z'],
  ['2031-02-02T05:10:00', '2031-02-02T19:10:31Z', '+10:00', '2031-02-01T19:10:31Z'],
  ['2031-02-01T13:58:00', '2031-02-01T18:58:40Z', '-05:00', '2031-02-01T18:58:40Z'],
  ['2029-08-24T14:15:22', '2031-02-01T14:03:12Z', '-07:00', '2031-02-01T14:03:12Z'],
])('local %s and GMT %s, which may be a day off, with %s are %s', (eventTimestamp, GMTTimestamp, GMTOffset, time) => {
  expect(scanOf({ eventTimestamp, GMTTimestamp, GMTOffset })).toMatchObject({ time, zoneSource: 'carrier' });
});

test('a time without an offset and a place has the offset of the neighboring event', () => {
  const neighbor = event({ GMTTimestamp: '2031-02-01T22:00:00Z', GMTOffset: '-06:00' });
  const label = event({ eventTimestamp: '2031-01-30T00:00:00', eventCity: null, eventState: null });
  expect(parse([entry([neighbor, label])])).toMatchObject([
    { scans: [{ time: '2031-02-01T22:00:00Z' }, { time: '2031-01-30T06:00:00Z', zoneSource: 'default' }] },
  ]);
});

test('an event without a readable time fails its number', () => {
  expect(scanOf({ eventTimestamp: 'soon' })).toMatchObject({ failure: 'unreadable' });
});

test.each([
  ['01', 'Delivered, Front Door/Porch', 'delivered'],
  ['01', 'Delivered, To Original Sender', 'returned'],
  ['01', 'Delivered to Agent for Final Delivery', 'in_transit'],
  ['01', 'Delivered, To Agent', 'delivered'],
  ['17', 'Tendered to Agent for Final Delivery', 'in_transit'],
  ['34', 'Picked up by Agent', 'available_for_pickup'],
  ['', 'Reminder to pick up your item', 'available_for_pickup'],
  ['', 'Reminder to Schedule Redelivery of your item', 'exception'],
  ['02', 'Notice Left (No Authorized Recipient Available)', 'exception'],
  ['03', 'USPS in possession of item', 'in_transit'],
  ['04', 'Refused', 'exception'],
  ['05', 'Undeliverable as Addressed', 'undeliverable'],
  ['09', 'Return to Sender', 'exception'],
  ['14', 'Arrived at Pickup Point', 'available_for_pickup'],
  ['16', 'Available for Pickup', 'available_for_pickup'],
  ['21', 'No Such Number', 'undeliverable'],
  ['GX', 'Shipping Label Created, USPS Awaiting Item', 'info_received'],
  ['MA', 'Pre-Shipment Info Sent to USPS', 'info_received'],
  ['OF', 'Out for Delivery', 'out_for_delivery'],
  ['A1', 'Arrived at USPS Facility', 'in_transit'],
  [3, 'USPS in possession of item', 'in_transit'],
  ['??', 'Delivery Attempted - No Access to Delivery Location', 'exception'],
  ['??', 'Awaiting Delivery Scan', 'out_for_delivery'],
  ['??', 'Held at Post Office, At Customer Request', 'available_for_pickup'],
  ['??', 'Something new', 'in_transit'],
  ['ZZ', 'Arrived Shipping Partner Facility, USPS Awaiting Item', 'in_transit'],
  ['ZZ', 'Picked Up by Shipping Partner, USPS Awaiting Item', 'in_transit'],
  ['ZZ', 'Pre-Shipment, USPS Awaiting Item', 'info_received'],
  ['ZZ', 'Available for Redelivery or Pickup', 'available_for_pickup'],
  ['ZZ', 'Seized by Law Enforcement', 'exception'],
  ['ZZ', 'Unable to deliver item, problem with address', 'exception'],
])('the event %s %j is %s', (eventCode, eventType, status) => {
  expect(scanOf({ eventCode, eventType })).toMatchObject({ status });
});

test('refused and returning parcels are reported', () => {
  expect(scanOf({ eventCode: '04', eventType: 'Refused' })).toMatchObject({ course: 'refused' });
  expect(scanOf({ eventCode: '09', eventType: 'Return to Sender Processed' })).toMatchObject({ course: 'going_back' });
});

test('a label that USPS has not seen is not found yet', () => {
  expect(parse([entry([], { statusCategory: 'Pre-Shipment' })])).toEqual([{ kind: 'not_found' }]);
  const unknown = { error: { code: '404', message: 'Tracking is not available for this item.' } };
  expect(parse(unknown, 404)).toEqual([{ kind: 'not_found' }]);
});

test.each([
  [400, { error: { code: '400', message: 'OASValidation: the request is invalid.' } }, 'temporary'],
  [401, { error: 'invalid_client' }, 'auth'],
  [401, { error: { code: '401', message: 'The identifier is invalid.' } }, 'auth'],
  [403, '', 'auth'],
  [404, '<html>', 'transient'],
  [429, '', 'rate_limited'],
  [503, '', 'transient'],
  [200, 'true', 'unreadable'],
])('HTTP %i %j fails every number: %s', (status, body, failure) => {
  expect(parse(body, status, [A, B])).toMatchObject([{ failure }, { failure }]);
});

test('the refusal of a single number is that number’s fault', () => {
  const body = { error: { code: '400', message: 'The tracking number is invalid.' } };
  expect(parse(body, 400)).toMatchObject([{ failure: 'invalid_number' }]);
  const pattern = "OASValidation: [Path '/0/trackingNumber'] does not match the pattern";
  expect(parse({ error: { code: '400', message: pattern } }, 400)).toMatchObject([{ failure: 'invalid_number' }]);
});

test('a call that USPS takes for malformed says nothing about its only number', () => {
  const body = { error: { code: '400', message: 'OASValidation: the request is invalid.' } };
  expect(parse(body, 400)).toMatchObject([{ failure: 'temporary' }]);
});

test('the estimate is the predicted day at the destination', () => {
  const estimate = (deliveryDateExpectation: unknown) => {
    const [answer] = parse([entry([event()], { destinationState: 'OH', deliveryDateExpectation })]);
    return answer?.kind === 'found' ? answer.estimatedDelivery : undefined;
  };
  const predicted = { predictedDeliveryDate: '2031-02-03', expectedDeliveryDate: '2031-02-05' };
  expect(estimate(predicted)).toEqual({ from: '2031-02-03', to: '2031-02-03' });
  expect(estimate({ expectedDeliveryDate: '2031-02-05T00:00:00Z' })).toMatchObject({ from: '2031-02-05' });
  expect(estimate(null)).toBeUndefined();
});
