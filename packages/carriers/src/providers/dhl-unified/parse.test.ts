import { fixturesBeside, response, summaryOf } from '../../testing/answers.ts';
import { parseShipments } from './parse.ts';

const NUMBER = '7000000012';
const parse = (body: unknown, status?: number, carrier = 'dhl', number = NUMBER) =>
  parseShipments(response(body, status), { number, carrier });

test.each(fixturesBeside(import.meta.url))('%s is read as expected', (_file, text, expected) => {
  const number = /"id": "(\d+)"/.exec(text)?.[1];
  const answer = parse(text, 200, 'dhl', number);
  expect(summaryOf(answer)).toEqual(expected);
  expect(answer).not.toHaveProperty('otherNumber');
});

const event = (more: Record<string, unknown> = {}) => ({
  timestamp: '2031-07-01T08:00:00',
  location: { address: { addressLocality: 'Bonn', countryCode: 'DE' } },
  statusCode: 'transit',
  description: 'Processed',
  ...more,
});
const shipment = (events: unknown[], more: Record<string, unknown> = {}) => ({
  id: NUMBER,
  service: 'express',
  events,
  ...more,
});
const scans = (...events: unknown[]) => {
  const answer = parse({ shipments: [shipment(events)] });
  return answer.kind === 'found' ? answer.scans : [answer];
};

test.each([
  ['pre-transit', 'DELIVERED', 'info_received'],
  ['transit', 'Processed at the parcel center', 'in_transit'],
  ['transit', 'The shipment was delivered to the airport', 'in_transit'],
  ['transit', 'Out for delivery', 'out_for_delivery'],
  ['transit', 'Die Sendung wurde in das Zustellfahrzeug geladen', 'out_for_delivery'],
  ['transit', 'Ready for pick-up at the Packstation', 'available_for_pickup'],
  ['transit', 'Die Sendung liegt zur Abholung bereit', 'available_for_pickup'],
  ['transit', 'Die Sendung wird zur Abholung in die Filiale gebracht.', 'in_transit'],
  ['transit', 'AWAITING CUSTOMER PICKUP', 'available_for_pickup'],
  ['transit', 'The parcel is ready to be collected at the service point', 'available_for_pickup'],
  ['transit', 'Held at the post office for collection', 'available_for_pickup'],
  ['transit', 'Attempted delivery', 'exception'],
  ['transit', 'Shipment is delayed', 'in_transit'],
  ['transit', 'Electronic notification received', 'in_transit'],
  ['transit', 'Die Sendung wurde in die PACKSTATION eingestellt.', 'available_for_pickup'],
  ['transit', 'Address information needed', 'exception'],
  ['delivered', 'The shipment has been delivered to the Packstation', 'available_for_pickup'],
  ['delivered', '', 'delivered'],
  ['failure', 'The address was not found', 'exception'],
  [undefined, 'Delivered - Signed for by: A. Nother', 'delivered'],
  [undefined, 'Shipment information received', 'info_received'],
  ['unknown', 'LABEL CREATED', 'info_received'],
  [undefined, 'Shipment on hold', 'exception'],
  [undefined, 'Returned to shipper', 'returned'],
  [undefined, 'Arrived at Delivery Facility', 'in_transit'],
  ['unknown', 'Arrived at Delivery Facility', 'in_transit'],
])('an event with code %s and text %j is %s', (statusCode, description, status) => {
  expect(scans(event({ statusCode, description }))).toMatchObject([{ status }]);
});

test('without a code and a specific description, the status in words decides', () => {
  expect(scans(event({ statusCode: undefined, status: 'Delivered', description: 'A. NOTHER' }))).toMatchObject([
    { status: 'delivered', description: 'A. NOTHER' },
  ]);
});

test('the status of the shipment counts beside its newest event, which keeps its own', () => {
  const events = [event({ statusCode: undefined, timestamp: '2031-07-02T08:00:00' }), event({ statusCode: undefined })];
  const answer = parse({ shipments: [shipment(events, { status: { statusCode: 'delivered' } })] });
  expect(answer).toMatchObject({
    scans: [{ status: 'in_transit', parcel: { status: 'delivered' } }, { status: 'in_transit' }],
  });
});

test.each([
  ['the place', {}, '2031-07-01T06:00:00Z', 'location'],
  ['the destination', { location: null }, '2031-07-01T07:00:00Z', 'default'],
  ['its offset', { timestamp: '2031-07-01T08:00:00+05:30' }, '2031-07-01T02:30:00Z', 'carrier'],
])('a time is local at %s', (_what, more, time, zoneSource) => {
  const destination = { address: { countryCode: 'GB' } };
  const answer = parse({ shipments: [shipment([event(more)], { destination })] });
  expect(answer).toMatchObject({ scans: [{ time, zoneSource }] });
});

test('a place that ends with its country is read like one that does not', () => {
  const location = { address: { addressLocality: 'Fennbrook, NV, US', countryCode: 'US' } };
  expect(summaryOf(parse({ shipments: [shipment([event({ location })])] }))).toEqual([
    ['2031-07-01T15:00:00Z', 'in_transit', 'Fennbrook, NV, US'],
  ]);
});

test('an announcement without a place is local at the origin, anything else at the destination', () => {
  const address = (countryCode: string) => ({ address: { countryCode } });
  const events = ['pre-transit', 'transit'].map((statusCode) => event({ statusCode, location: null }));
  const answer = parse({ shipments: [shipment(events, { origin: address('JP'), destination: address('GB') })] });
  expect(answer).toMatchObject({ scans: [{ time: '2031-06-30T23:00:00Z' }, { time: '2031-07-01T07:00:00Z' }] });
});

test('the tags of a text are left out', () => {
  expect(scans(event({ description: 'See <a href="https://dhl.test">the terms</a> < 5 kg' }))).toMatchObject([
    { description: 'See the terms < 5 kg' },
  ]);
});

test.each([
  ['parcel-pl', '2031-07-01T06:00:00Z'],
  ['post-de', '2031-07-01T06:00:00Z'],
  ['parcel-uk', '2031-07-01T07:00:00Z'],
  ['express', '2031-07-01T08:00:00Z'],
])('without a place, the times of %s are those of its country', (service, time) => {
  const answer = parse({ shipments: [shipment([event({ location: {} })], { service })] });
  expect(answer).toMatchObject({ scans: [{ time, zoneSource: 'default' }] });
});

test('a delivery that only the shipment’s status reports becomes its newest scan', () => {
  const status = event({ statusCode: 'delivered', timestamp: '2031-07-02T09:30:00', description: 'Handed over' });
  const older = event({ timestamp: '2031-06-30T08:00:00' });
  for (const events of [
    [event(), older],
    [older, event()],
  ]) {
    const read = summaryOf(parse({ shipments: [shipment(events, { status })] }));
    expect([...(read ?? [])].sort().slice(-2)).toEqual([
      ['2031-07-01T06:00:00Z', 'in_transit', 'Bonn, DE'],
      ['2031-07-02T07:30:00Z', 'delivered', 'Bonn, DE'],
    ]);
  }
  const current = { ...status, timestamp: event().timestamp };
  expect(parse({ shipments: [shipment([event(), current], { status: current })] })).toMatchObject({
    scans: { length: 2 },
  });
});

test.each([
  ['delivered', '', 'delivered'],
  ['failure', '', 'exception'],
  ['transit', 'Out for delivery', 'out_for_delivery'],
])('a status %s %j without a time is that of the parcel', (statusCode, description, parcelStatus) => {
  const status = { statusCode, description };
  expect(parse({ shipments: [shipment([], { status })] })).toEqual({ kind: 'found', scans: [], parcelStatus });
  expect(parse({ shipments: [shipment([], { status: { statusCode: 'unknown' } })] })).toEqual({ kind: 'not_found' });
});

test('a shipment with only its status is read', () => {
  expect(summaryOf(parse({ shipments: [{ id: NUMBER, status: event() }] }))).toEqual([
    ['2031-07-01T06:00:00Z', 'in_transit', 'Bonn, DE'],
  ]);
  expect(parse({ shipments: [{ id: NUMBER }] })).toEqual({ kind: 'not_found' });
  expect(parse({ shipments: [] })).toEqual({ kind: 'not_found' });
});

test('of shipments of several divisions, that of the requested carrier counts', () => {
  const shipments = [
    shipment([event({ description: 'a parcel' })], { service: 'parcel-de' }),
    shipment([event({ description: 'express' })]),
  ];
  const described = (carrier: string) => {
    const answer = parse({ shipments }, 200, carrier);
    return answer.kind === 'found' ? answer.scans[0]?.description : answer;
  };
  expect([described('dhl'), described('dhl-paket'), described('deutsche-post')]).toEqual([
    'express',
    'a parcel',
    'a parcel',
  ]);
});

test('a piece of a shipment stands for the shipment; another number is reported', () => {
  const answer = (number: string) =>
    parse({ shipments: [shipment([event()], { details: { pieceIds: ['JD0146'] } })] }, 200, 'dhl', number);
  expect(answer('JD0146')).not.toHaveProperty('otherNumber');
  expect(answer('JD0999')).toMatchObject({ otherNumber: NUMBER });
});

test.each([
  [404, { status: 404, title: 'No result found' }, 'not_found'],
  [404, '<html>', 'transient'],
  [400, { status: 400, title: 'Bad request' }, 'unreadable'],
  [401, '', 'auth'],
  [403, '', 'auth'],
  [429, '', 'rate_limited'],
  [500, '', 'transient'],
  [200, { status: 429, title: 'Too many requests' }, 'rate_limited'],
  [200, { status: 503, title: 'Not available' }, 'transient'],
  [200, { status: 401, title: 'Unauthorized' }, 'auth'],
  [200, '[]', 'unreadable'],
  [200, {}, 'unreadable'],
])('HTTP %i %j is %s', (status, body, expected) => {
  expect(summaryOf(parse(body, status))).toBe(expected);
});

test('an event without a readable time fails the answer', () => {
  expect(scans(event(), event({ timestamp: 'soon' }))).toMatchObject([{ failure: 'unreadable' }]);
});

test('the estimate is the time frame, or the single time', () => {
  const estimate = (more: Record<string, unknown>) => {
    const destination = { address: { countryCode: 'DE' } };
    const answer = parse({ shipments: [shipment([event()], { destination, ...more })] });
    return answer.kind === 'found' ? answer.estimatedDelivery : undefined;
  };
  const frame = { estimatedFrom: '2031-07-02T10:00:00+02:00', estimatedThrough: '2031-07-02T12:00:00+02:00' };
  const estimatedTimeOfDelivery = '2031-07-02T18:00:00';
  expect(estimate({ estimatedTimeOfDelivery, estimatedDeliveryTimeFrame: frame })).toEqual({
    from: '2031-07-02T08:00:00Z',
    to: '2031-07-02T10:00:00Z',
  });
  expect(estimate({ estimatedTimeOfDelivery })).toEqual({ from: '2031-07-02T16:00:00Z', to: '2031-07-02T16:00:00Z' });
  expect(estimate({ estimatedTimeOfDelivery: '2031-07-02T00:00:00Z' })).toEqual({
    from: '2031-07-02',
    to: '2031-07-02',
  });
  expect(estimate({})).toBeUndefined();
});
