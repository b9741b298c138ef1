import type { HttpOutcome } from '../../http/http.ts';
import { parseTrack } from './parse.ts';

const ok = (body: unknown): HttpOutcome => ({ kind: 'response', status: 200, headers: {}, text: JSON.stringify(body) });
const scan = { time: '2031-05-01T08:00:00Z', location: '柏州', description: '到达', status: 'in_transit' };
const parseOne = (result: unknown) => parseTrack(ok({ results: [result] }), ['A12345'])[0];

test('each number has its own answer, in the order asked', () => {
  const results = [
    { number: 'A12345', found: true, scans: [scan] },
    { number: 'B12345', found: false },
    { number: 'C12345', error: { code: 'transient', message: 'try later' } },
  ];
  expect(parseTrack(ok({ results }), ['A12345', 'B12345', 'C12345'])).toEqual([
    { kind: 'found', scans: [{ ...scan, timeRaw: scan.time, zoneSource: 'carrier' }] },
    { kind: 'not_found' },
    { kind: 'failed', failure: 'temporary', message: 'try later' },
  ]);
});

test.each(['invalid_number', 'needs_input', 'temporary', 'rate_limited', 'quota', 'auth', 'unreadable'])(
  'the error %s of a number is that failure',
  (code) => {
    const error = { code, message: 'because', retry_after_seconds: 7 };
    expect(parseOne({ number: 'A12345', error })).toEqual({
      kind: 'failed',
      failure: code,
      message: 'because',
      retryAfterSeconds: 7,
    });
  },
);

test('the course of a scan and the pieces of a shipment are read', () => {
  const back = { ...scan, course: 'going_back' };
  const pieces = { total: 3, delivered: 1 };
  expect(parseOne({ number: 'A12345', found: true, scans: [back, scan], pieces })).toMatchObject({
    scans: [{ course: 'going_back' }, expect.not.objectContaining({ course: expect.anything() })],
    pieces,
  });
});

test('an unknown error is unreadable', () => {
  expect(parseOne({ number: 'A12345', error: { code: 'toString' } })).toMatchObject({ failure: 'unreadable' });
});

test.each([
  ['nothing', undefined],
  ['a result about another number', { number: 'Z99999', found: false }],
  ['neither found nor not', { number: 'A12345' }],
  ['scans that are not a list', { number: 'A12345', found: true, scans: {} }],
  ['a scan without a time', { number: 'A12345', found: true, scans: [{ ...scan, time: 'soon' }] }],
  ['a status that no scan has', { number: 'A12345', found: true, scans: [{ ...scan, status: 'pending' }] }],
])('%s is unreadable for that number, and only for it', (_, result) => {
  const answers = parseTrack(ok({ results: [result, { number: 'B12345', found: false }] }), ['A12345', 'B12345']);
  expect(answers).toMatchObject([{ kind: 'failed', failure: 'unreadable' }, { kind: 'not_found' }]);
});

test.each(['not JSON', '[]', '{}', '{"results":{}}'])('%j is unreadable for every number', (text) => {
  const answers = parseTrack({ kind: 'response', status: 200, headers: {}, text }, ['A12345', 'B12345']);
  expect(answers).toMatchObject([{ failure: 'unreadable' }, { failure: 'unreadable' }]);
});

test('a failed call fails every number', () => {
  const outcome: HttpOutcome = { kind: 'response', status: 429, headers: { 'retry-after': '3' }, text: '' };
  const limited = { kind: 'failed', failure: 'rate_limited', retryAfterSeconds: 3 };
  expect(parseTrack(outcome, ['A12345', 'B12345'])).toMatchObject([limited, limited]);
});
