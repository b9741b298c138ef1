import { response } from '../../testing/answers.ts';
import { testFixtures } from '../../testing/fixtures.ts';
import { sweettracker } from './index.ts';
import { meaningOf, outcomeOf, parseTrackingInfo } from './parse.ts';

testFixtures(import.meta.url, sweettracker.parse, 'cj-logistics');

const ask = (body: unknown, status = 200) =>
  parseTrackingInfo(response(body, status), { number: 'A1', carrier: 'cj-logistics' });
const step = (more: object) => ({ invoiceNo: 'A1', trackingDetails: [{ timeString: '2031-10-04 09:15:42', ...more }] });

test.each([
  ['1', 'info_received'],
  ['2', 'in_transit'],
  ['4', 'in_transit'],
  ['5', 'out_for_delivery'],
  ['6', 'delivered'],
  ['0', undefined],
])('the level %s is %s', (level, status) => {
  expect(meaningOf(level)?.status).toBe(status);
});

test.each([
  [3, '간선상차', 'in_transit'],
  [3, '미배달', 'exception'],
  [5, '배송출발', 'out_for_delivery'],
  [6, '배달완료', 'delivered'],
])('a step of level %i with "%s" is %s', (level, kind, status) => {
  expect(ask(step({ level, kind }))).toMatchObject({ scans: [{ status, time: '2031-10-04T00:15:42Z' }] });
});

test.each([
  ['2031-10-04 09:15', '2031-10-04T00:15:00Z'],
  ['  2031-10-04 09:15:42 ', '2031-10-04T00:15:42Z'],
])('%j in Korea is %s', (timeString, time) => {
  expect(ask(step({ timeString, level: 3 }))).toMatchObject({ scans: [{ time }] });
});

test('a step without a text of its time has it in milliseconds', () => {
  expect(ask(step({ timeString: '', time: 1_948_925_742_000, level: 3 }))).toMatchObject({
    scans: [{ time: '2031-10-05T00:15:42Z' }],
  });
});

test('a parcel whose carrier has no steps yet is not found', () => {
  const body = { result: 'N', invoiceNo: 'A1', level: 0, complete: false, completeYN: 'N' };
  expect(ask(body)).toEqual({ kind: 'not_found' });
});

test.each([
  ['101', 'auth'],
  ['102', 'auth'],
  ['103', 'quota'],
  ['104', 'not_found'],
  ['105', 'temporary'],
  ['106', 'temporary'],
  ['999', 'temporary'],
])('the error %s is %s, whatever the HTTP status', (code, outcome) => {
  expect(outcomeOf(code)).toBe(outcome);
  for (const status of [200, 404, 500]) {
    const answer = ask({ status: false, msg: '', code }, status);
    expect(answer).toMatchObject(outcome === 'not_found' ? { kind: outcome } : { failure: outcome });
  }
});

test.each([
  [500, { timestamp: 1, status: 500, error: 'Internal Server Error' }, 'transient'],
  [200, {}, 'unreadable'],
  [429, {}, 'rate_limited'],
  [502, '<html>', 'transient'],
])('HTTP %i %j is %s', (status, body, failure) => {
  expect(ask(body, status)).toMatchObject({ failure });
});
