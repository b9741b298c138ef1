import type { CarrierAnswer } from '@pts/core/tracking/answer';
import { fixture, response, summary } from '../../testing/parsed.ts';
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
