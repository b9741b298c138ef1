import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { fixture, response, summary } from '../../testing/parsed.ts';
import { meaningOfStatus, outcomeOf } from './codes.ts';
import { parseTrackInfo } from './parse.ts';

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
  ['InTransit_CustomsProcessing', 'in_transit'], ['InTransit_CustomsRequiringInformation', 'in_transit'],
  ['OutForDelivery_Other', 'out_for_delivery'], ['AvailableForPickup_Other', 'available_for_pickup'],
  ['DeliveryFailure_NoBody', 'undeliverable'], ['DeliveryFailure_Security', 'undeliverable'],
  ['DeliveryFailure_InvalidAddress', 'undeliverable'], ['DeliveryFailure_Other', 'undeliverable'],
  ['Delivered_Other', 'delivered'], ['Exception_Other', 'exception'], ['Exception_Damage', 'exception'],
  ['Exception_Lost', 'exception'], ['Exception_Delayed', 'exception'], ['Exception_Destroyed', 'exception'],
  ['Exception_Cancel', 'exception'], ['Exception_Security', 'exception'], ['Exception_NoBody', 'exception'],
  ['Exception_Held', 'exception'], ['Exception_Returned', 'returned'],
])('the sub-status %s is %s', (code, status) => {
  expect(meaningOfStatus(code, '')).toEqual({ status });
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
