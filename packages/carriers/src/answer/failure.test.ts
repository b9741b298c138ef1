import { bodyOrFailure } from './body.ts';

const response = (status: number, headers: Record<string, string> = {}) =>
  bodyOrFailure({ kind: 'response', status, headers, text: 'body' }, 'X');

test('a 200 is read', () => {
  expect(response(200)).toBe('body');
});

test.each([
  [302, 'transient'],
  [400, 'transient'],
  [401, 'auth'],
  [403, 'auth'],
  [404, 'transient'],
  [429, 'rate_limited'],
  [500, 'transient'],
  [503, 'transient'],
])('HTTP %i is %s', (status, failure) => {
  expect(response(status)).toEqual({ kind: 'failed', failure, message: `X responded with HTTP ${status}` });
});

test.each([
  ['<!DOCTYPE html><title>Access Denied</title>', 'rate_limited'],
  ['\n<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD>', 'rate_limited'],
  ['<error>unknown key</error>', 'auth'],
  ['{"message":"Forbidden"}', 'auth'],
])('a 403 with %j is %s: a web page is the firewall’s, not the API’s', (text, failure) => {
  expect(bodyOrFailure({ kind: 'response', status: 403, headers: {}, text }, 'X')).toMatchObject({ failure });
});

test('an API may answer with other statuses than 200; only those are read', () => {
  const answer = (status: number) =>
    bodyOrFailure({ kind: 'response', status, headers: {}, text: 'body' }, 'X', [200, 207, 404]);
  expect([200, 207, 404].map(answer)).toEqual(['body', 'body', 'body']);
  expect(answer(500)).toMatchObject({ failure: 'transient' });
});

test.each([
  ['timeout', 'transient'],
  ['network', 'transient'],
  ['aborted', 'transient'],
  ['too_large', 'unreadable'],
] as const)('no response because of %s is %s', (reason, failure) => {
  expect(bodyOrFailure({ kind: 'no_response', reason, detail: '…' }, 'X')).toMatchObject({ failure });
});

describe('Retry-After', () => {
  const date = 'Fri, 02 May 2031 08:00:00 GMT';
  test.each([
    ['seconds', { 'retry-after': '120' }, 120],
    ['a date, compared with the answer’s own', { 'retry-after': 'Fri, 02 May 2031 08:00:45 GMT', date }, 45],
    ['a date in the past', { 'retry-after': 'Fri, 02 May 2031 07:00:00 GMT', date }, undefined],
    ['a date without one to compare it with', { 'retry-after': 'Fri, 02 May 2031 08:00:45 GMT' }, undefined],
    ['nonsense', { 'retry-after': 'later', date }, undefined],
    ['nothing', {}, undefined],
  ])('%s', (_, headers: Record<string, string>, seconds) => {
    const failure = response(429, headers);
    expect(typeof failure === 'object' ? failure.retryAfterSeconds : failure).toBe(seconds);
  });
});
