import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfEvent, meaningOfStatus, outcomeOf, parseTrackInfo } from './parse.ts';

const ASKED = { number: 'RC518203648CN', carrier: 'china-post' };
const parseOne = (body: unknown, status?: number, headers?: Record<string, string>) =>
  parseTrackInfo(response(body, status, headers), [ASKED])[0];
const accepted = (...items: unknown[]) => ({ code: 0, data: { accepted: items, rejected: [] } });
const event = { time_utc: '2031-01-02T03:04:05Z', description: 'Moved', location: 'X', sub_status: 'InTransit_Other' };
const tracking = (events: unknown[], more: object = {}) => ({
  ...{ number: ASKED.number, carrier: 3011 },
  track_info: { latest_status: { status: 'InTransit' }, tracking: { providers: [{ events }] }, ...more },
});
const scansOf = (answer: CarrierAnswer | undefined) => (answer?.kind === 'found' ? answer.scans : []);

test.each(Object.entries(JSON.parse(fixture(import.meta.url, 'expected.json'))))(
  '%s is read as expected',
  (file, expected) => {
    expect(summary(parseOne(fixture(import.meta.url, file)))).toEqual(expected);
  },
);

test('the estimate is kept, in UTC', () => {
  expect(parseOne(fixture(import.meta.url, 'delivered_two_carriers.json'))).toMatchObject({
    estimatedDelivery: { from: '2031-04-17T15:00:00Z', to: '2031-04-20T03:00:00Z' },
  });
});

test('a scan keeps the time as the carrier wrote it', () => {
  const [scan] = scansOf(parseOne(fixture(import.meta.url, 'delivered_two_carriers.json')));
  expect(scan).toMatchObject({ timeRaw: '2031-04-18T11:02:00-07:00', zoneSource: 'carrier' });
});

test.each([
  ['the offset, without a time in UTC', { time_iso: '2031-01-02T03:04:05+08:00' }, '2031-01-01T19:04:05Z'],
  [
    'the carrier’s own time, without either',
    { time_raw: { date: '2031-01-02', time: '03:04:05', timezone: '+01:00' } },
    '2031-01-02T02:04:05Z',
  ],
  [
    'the carrier’s own day, without a time',
    { time_raw: { date: '2031-01-02', time: null, timezone: null } },
    '2031-01-02T00:00:00Z',
  ],
])('a time is read from %s', (_, time, expected) => {
  const answer = parseOne(accepted(tracking([{ ...event, time_utc: null, ...time }])));
  expect(scansOf(answer)).toMatchObject([{ time: expected }]);
});

// biome-ignore format: one code per line is readable as a table
test.each([
  ['InfoReceived', 'info_received'], ['InTransit_PickedUp', 'in_transit'], ['InTransit_Departure', 'in_transit'],
  ['InTransit_Arrival', 'in_transit'], ['InTransit_Other', 'in_transit'], ['InTransit_CustomsReleased', 'in_transit'],
  ['InTransit_CustomsProcessing', 'in_transit'], ['InTransit_CustomsRequiringInformation', 'exception'],
  ['OutForDelivery_Other', 'out_for_delivery'], ['AvailableForPickup_Other', 'available_for_pickup'],
  ['DeliveryFailure_NoBody', 'undeliverable'], ['DeliveryFailure_Security', 'undeliverable'],
  ['DeliveryFailure_InvalidAddress', 'undeliverable'], ['DeliveryFailure_Other', 'undeliverable'],
  ['Delivered_Other', 'delivered'], ['Exception_Other', 'exception'], ['Exception_Damage', 'exception'],
  ['Exception_Lost', 'exception'], ['Exception_Delayed', 'in_transit'], ['Exception_Destroyed', 'exception'],
  ['Exception_Cancel', 'exception'], ['Exception_Security', 'exception'], ['Exception_NoBody', 'exception'],
  ['Exception_Held', 'exception'], ['Exception_Returned', 'returned'],
])('the sub-status %s is %s', (code, status) => {
  expect(meaningOfStatus(code, '')).toMatchObject({ status });
});

test('a refused parcel is distinguished from a returning one', () => {
  expect(meaningOfStatus('DeliveryFailure_Rejected', '')).toEqual({ status: 'undeliverable', course: 'refused' });
  expect(meaningOfStatus('Exception_Rejected', '')).toEqual({ status: 'exception', course: 'refused' });
  expect(meaningOfStatus('Exception_Returning', '')).toEqual({ status: 'exception', course: 'going_back' });
});

test('the sub-status decides before the stage, and the text only without both', () => {
  expect(meaningOfEvent('Delivered_Other', 'InTransit', '')).toEqual({ status: 'delivered' });
  expect(meaningOfEvent('', 'PickedUp', 'delivered')).toEqual({ status: 'in_transit' });
  expect(meaningOfEvent('', 'Sunrise', 'Out for delivery')).toEqual({ status: 'out_for_delivery' });
  expect(meaningOfEvent('', '', '正在派送')).toEqual({ status: 'out_for_delivery' });
  expect(meaningOfEvent('', '', '')).toBe('silent');
});

test.each(['NotFound', 'Expired', 'Sunrise', ''])('the status %j says nothing about the parcel', (status) => {
  expect(meaningOfStatus('', status)).toBeUndefined();
  expect(parseOne(accepted(tracking([], { latest_status: { status } })))).toEqual({ kind: 'not_found' });
});

test.each([
  ['-18010001', 'auth'],
  ['-18010002', 'auth'],
  ['-18010004', 'auth'],
  ['-18010003', 'transient'],
  ['-18010012', 'invalid_number'],
  ...['-18010018', '-18010019', '-18010020', '-18010021', '-18010022'].map((code) => [code, 'needs_input'] as const),
  ['-18019902', 'not_found'],
  ['-18019907', 'quota'],
  ['-18019908', 'quota'],
  ['-18019909', 'not_found'],
  ['-18019903', 'unreadable'],
  ['-18019910', 'unreadable'],
  ['-1', 'unreadable'],
] as const)('the code %s of a number is %s', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
  const error = { code: Number(code), message: 'because' };
  const answer = parseOne({ code: 0, data: { accepted: [], rejected: [{ number: ASKED.number, error }] } });
  expect(summary(answer)).toBe(outcome);
});

test('a call that is refused because of one of several numbers says nothing about the others', () => {
  const all = [ASKED, { number: 'B12345', carrier: 'usps' }];
  const refused = { code: -18010012, data: { errors: [{ code: -18010012, message: 'because' }] } };
  expect(parseTrackInfo(response(refused, 200), all)).toMatchObject(
    all.map(() => ({ failure: 'temporary', isOfOne: true })),
  );
});

test('a number that is not registered is distinguished from one without news', () => {
  expect(parseOne(fixture(import.meta.url, 'not_registered.json'))).toEqual({
    kind: 'not_found',
    isUnregistered: true,
  });
  expect(parseOne(fixture(import.meta.url, 'nothing_yet.json'))).toEqual({ kind: 'not_found' });
  expect(parseOne({ code: 0, data: { accepted: [], rejected: [] } })).toEqual({ kind: 'not_found' });
});

test('of a number that is registered under several carriers, the requested one takes precedence', () => {
  const other = { ...tracking([{ ...event, sub_status: 'Delivered_Other' }]), carrier: 21051 };
  const answer = parseTrackInfo(response(accepted(other, tracking([event]))), [ASKED])[0];
  expect(scansOf(answer)).toMatchObject([{ status: 'in_transit' }]);
});

test('otherwise one that has news is read', () => {
  const unknown = { number: ASKED.number, carrier: 1, track_info: { latest_status: { status: 'NotFound' } } };
  const known = { ...tracking([event]), carrier: 2 };
  expect(parseOne(accepted(unknown, known))).toMatchObject({ kind: 'found' });
});

test('each number has its own answer; an answer about another number fails the one without', () => {
  const all = ['A12345', 'B12345', 'C12345'].map((number) => ({ number, carrier: 'usps' }));
  const body = {
    code: 0,
    data: {
      accepted: [
        { ...tracking([event]), number: 'C12345' },
        { ...tracking([event]), number: 'Z99999' },
      ],
      rejected: [{ number: 'A12345', error: { code: -18019909 } }],
    },
  };
  expect(parseTrackInfo(response(body), all).map(summary)).toEqual([
    'not_found',
    'unreadable',
    [['2031-01-02T03:04:05Z', 'in_transit', 'X']],
  ]);
});

test('one event with an unreadable time fails only its number', () => {
  const all = ['A12345', 'B12345'].map((number) => ({ number, carrier: 'usps' }));
  const bad = { ...tracking([event, { ...event, time_utc: 'soon' }]), number: 'A12345' };
  const body = accepted(bad, { ...tracking([event]), number: 'B12345' });
  expect(parseTrackInfo(response(body), all)).toMatchObject([{ failure: 'unreadable' }, { kind: 'found' }]);
});

test('HTTP 429 is rate limited for as long as it says, 401 is a wrong key', () => {
  expect(parseOne('', 429, { 'retry-after': '9' })).toMatchObject({ failure: 'rate_limited', retryAfterSeconds: 9 });
  expect(parseOne('', 401)).toMatchObject({ failure: 'auth' });
  expect(parseOne({ code: 429, data: { errors: [{ code: 429 }] } })).toMatchObject({ failure: 'rate_limited' });
});

test.each(['<html>', '[]', '{}', '{"code":0,"data":{}}', '{"code":0,"data":{"accepted":{}}}'])(
  '%j is unreadable',
  (text) => {
    expect(parseOne(text)).toMatchObject({ kind: 'failed', failure: 'unreadable' });
  },
);
