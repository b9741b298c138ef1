import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfStatus } from './codes.ts';
import { parseResults } from './parse.ts';

const ASKED = { number: '9400136208275019384616', carrier: 'usps' };
const parseOne = (body: unknown, status?: number) => parseResults(response(body, status), ASKED);
const event = {
  occurrenceDatetime: '2031-01-02T08:00:00',
  status: 'Moved',
  location: 'X',
  statusMilestone: 'in_transit',
};
const tracking = (more: object = {}) => ({
  tracker: { trackerId: 't1', trackingNumber: ASKED.number },
  shipment: { statusMilestone: 'in_transit' },
  ...{ events: [event], ...more },
});
const trackings = (...items: unknown[]) => ({ data: { trackings: items } });
const firstScan = (more: object) => parseOne(trackings(tracking({ events: [{ ...event, ...more }] })));

test.each(Object.entries(JSON.parse(fixture(import.meta.url, 'expected.json'))))(
  '%s is read as expected',
  (file, expected) => {
    expect(summary(parseOne(fixture(import.meta.url, file)))).toEqual(expected);
  },
);

test.each([
  ['no zone', {}, '2031-01-02T13:00:00Z', 'default'],
  ['its own offset', { occurrenceDatetime: '2031-01-02T08:00:00+09:00' }, '2031-01-01T23:00:00Z', 'carrier'],
  ['its separate offset', { utcOffset: '+02:00' }, '2031-01-02T06:00:00Z', 'carrier'],
  [
    'an invalid offset',
    { utcOffset: 'null,', datetime: '2031-01-02T08:00:00.000Z' },
    '2031-01-02T13:00:00Z',
    'default',
  ],
  ['the country of its post', { courierCode: 'jp-post' }, '2031-01-01T23:00:00Z', 'location'],
])('a time with %s', (_, more, time, zoneSource) => {
  expect(firstScan(more)).toMatchObject({ scans: [{ time, zoneSource }] });
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['data_order_created', 'info_received'], ['data_order_cancelled', 'exception'], ['data_delivery_proposed', 'in_transit'],
  ['data_delivery_decided', 'in_transit'], ['transit_handover', 'in_transit'], ['transit_origin_country_departure', 'in_transit'],
  ['destination_arrival', 'in_transit'], ['customs_received', 'in_transit'], ['customs_exception', 'exception'],
  ['customs_rejected', 'exception'], ['customs_cleared', 'in_transit'], ['delivery_available_for_pickup', 'available_for_pickup'],
  ['delivery_out_for_delivery', 'out_for_delivery'], ['delivery_attempted', 'undeliverable'], ['delivery_exception', 'exception'],
  ['delivery_delivered', 'delivered'], ['exception_lost', 'exception'], ['exception_discarded', 'exception'],
])('the code %s is %s', (code, status) => {
  expect(meaningOfStatus(code, 'in_transit')).toEqual({ status });
});

test.each([
  ['info_received', 'info_received'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['failed_attempt', 'undeliverable'],
  ['available_for_pickup', 'available_for_pickup'],
  ['delivered', 'delivered'],
  ['exception', 'exception'],
])('the milestone %s is %s', (milestone, status) => {
  expect(meaningOfStatus('', milestone)).toEqual({ status });
});
