import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfScan, meaningOfStatus, parseTrackers } from './parse.ts';

const ASKED = { number: '9400136208275019384616', carrier: 'usps' };
const parseOne = (body: unknown, status?: number) => parseTrackers(response(body, status), ASKED);
const detail = { datetime: '2031-01-02T08:00:00Z', message: 'Moved', status: 'in_transit', tracking_location: {} };
const tracker = (more: object = {}) => ({
  ...{ id: 't1', object: 'Tracker', tracking_code: ASKED.number, carrier: 'USPS', status: 'in_transit' },
  ...{ tracking_details: [detail], ...more },
});

test.each(Object.entries(JSON.parse(fixture(import.meta.url, 'expected.json'))))(
  '%s is read as expected',
  (file, expected) => {
    expect(summary(parseOne(fixture(import.meta.url, file)))).toEqual(expected);
  },
);

test('a parcel on its way back is reported as such', () => {
  const answer = parseOne(fixture(import.meta.url, 'list_returning.json'));
  expect(answer.kind === 'found' && answer.scans.at(-1)).toMatchObject({ course: 'going_back' });
});

test('the day of the estimate is a whole day at the destination', () => {
  expect(parseOne(fixture(import.meta.url, 'list_returning.json'))).toMatchObject({
    estimatedDelivery: { from: '2031-08-06', to: '2031-08-06' },
  });
});

test.each([
  [
    'the local time with its offset',
    { datetime_local: '2031-01-02T08:00:00-07:00' },
    '2031-01-02T15:00:00Z',
    'carrier',
  ],
  [
    'the place of the local time',
    { datetime_local: '2031-01-02T08:00:00', tracking_location: { state: 'OR' } },
    '2031-01-02T16:00:00Z',
    'location',
  ],
  [
    'the region of the place, which may be abroad',
    { tracking_location: { city: 'VANCOUVER', state: 'BC', country: null } },
    '2031-01-02T16:00:00Z',
    'location',
  ],
  ['the home of the carrier, and never the Z', {}, '2031-01-02T13:00:00Z', 'default'],
  [
    'the country of the place',
    { tracking_location: { city: 'Granvik', country: 'NO' } },
    '2031-01-02T07:00:00Z',
    'location',
  ],
])('a time is read by %s', (_, more, time, zoneSource) => {
  expect(parseOne(tracker({ tracking_details: [{ ...detail, ...more }] }))).toMatchObject({
    scans: [{ time, zoneSource }],
  });
});

test.each([
  ['pre_transit', 'info_received'],
  ['in_transit', 'in_transit'],
  ['out_for_delivery', 'out_for_delivery'],
  ['delivered', 'delivered'],
  ['available_for_pickup', 'available_for_pickup'],
  ['failure', 'undeliverable'],
  ['cancelled', 'exception'],
  ['canceled', 'exception'],
])('the status %s is %s', (code, status) => {
  expect(meaningOfStatus('', code)).toMatchObject({ status });
});

test.each(['unknown', 'error', ''])('the status %j says nothing about the parcel', (status) => {
  expect(meaningOfStatus('', status)).toBeUndefined();
  expect(parseOne(tracker({ status, tracking_details: [] }))).toEqual({ kind: 'not_found' });
});

test('a detail shows that a parcel is refused, lost or being returned, and never undoes a delivery', () => {
  expect(meaningOfStatus('refused', 'in_transit')).toMatchObject({ course: 'refused' });
  expect(meaningOfStatus('lost', 'failure')).toEqual({ status: 'exception', problem: 'lost' });
  expect(meaningOfStatus('return', 'delivered')).toEqual({ status: 'delivered' });
  expect(meaningOfScan('', 'return_to_sender', 'Return')).toEqual({ status: 'exception', course: 'going_back' });
});

test.each([
  ['delayed', 'in_transit'],
  ['weather_delay', 'in_transit'],
  ['held', 'exception'],
  ['awaiting_information', 'exception'],
])('a parcel that does not move (%s) is %s, unless it waits for its recipient', (why, status) => {
  expect(meaningOfStatus(why, 'in_transit')?.status).toBe(status);
  expect(meaningOfStatus(why, 'available_for_pickup')?.status).toBe('available_for_pickup');
  expect(meaningOfStatus(why, 'out_for_delivery')?.status).toBe('out_for_delivery');
});

test('for an unknown status, the text decides', () => {
  expect(meaningOfScan('', 'sunrise', 'Out for delivery')).toEqual({ status: 'out_for_delivery' });
});

test.each([
  ['UNAUTHORIZED', 401, 'auth'],
  ['APIKEY.INACTIVE', 403, 'auth'],
  ['PAYMENT_REQUIRED', 402, 'quota'],
  ['RATE_LIMITED', 429, 'rate_limited'],
  ['NOT_FOUND', 404, 'not_found'],
  ['INTERNAL_SERVER_ERROR', 500, 'transient'],
  ['TRACKER.CREATE.ERROR', 422, 'temporary'],
  ['SUNRISE', 422, 'unreadable'],
])('the error %s is %s', (code, status, outcome) => {
  expect(summary(parseOne({ error: { code, message: 'because' } }, status as number))).toBe(outcome);
});

test('of several trackers of a number, that of the requested carrier is read', () => {
  const other = tracker({ carrier: 'FedEx', status: 'delivered', tracking_details: [] });
  expect(parseOne({ trackers: [other, tracker()] })).toMatchObject({ scans: [{ description: 'Moved' }] });
});

test.each([{ object: 'Event' }, {}])('the tracker in an event with %j is read', (event) => {
  expect(parseOne({ ...event, description: 'tracker.updated', result: tracker() })).toMatchObject({ kind: 'found' });
});

test('a list without the number is not found, one of another number is not taken for it', () => {
  expect(parseOne({ trackers: [], has_more: false })).toEqual({ kind: 'not_found', isUnregistered: true });
  expect(parseOne({ trackers: [tracker({ tracking_code: 'Z99999' })] })).toMatchObject({ otherNumber: 'Z99999' });
});

test.each(['<html>', '[]', '{}', '{"trackers":{}}'])('%j is unreadable', (text) => {
  expect(parseOne(text)).toMatchObject({ kind: 'failed', failure: 'unreadable' });
});
