import { verdictOf } from './verdict.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');
const in30Seconds = new Date('2026-03-09T04:05:36.000Z');

test.each([200, 201, 202, 204, 299])('%i is success: no further attempt is due', (status) => {
  expect(verdictOf(status, 3, NOW)).toEqual({
    state: 'delivered',
    error: null,
    nextAttemptAt: null,
    holdUntil: null,
    isGone: false,
  });
});

test.each([0, 100, 199, 300, 301, 302, 304, 307, 308, 399, 400, 401, 404, 408, 410, 429, 499, 500, 502, 503, 504, 599])(
  '%i is a failure: the next attempt is due',
  (status) => {
    expect(verdictOf(status, 1, NOW)).toMatchObject({
      state: 'owed',
      error: expect.stringContaining(String(status)),
      nextAttemptAt: in30Seconds,
    });
  },
);

test('a redirect is reported as not followed', () => {
  expect(verdictOf(302, 1, NOW).error).toBe('the receiver answered 302; redirects are not followed');
});

test.each([
  [429, 1, '60', 60],
  [503, 1, '3600', 3600],
  [429, 1, '5', 30],
  [429, 5, '60', 480],
  [500, 1, '3600', 30],
])(
  '%i on attempt %i with Retry-After %s: the next is due after %i s, never earlier than the schedule says',
  (status, attempt, header, seconds) => {
    const { nextAttemptAt } = verdictOf(status, attempt, NOW, { retryAfterHeader: header });
    expect(nextAttemptAt).toEqual(new Date(NOW.getTime() + seconds * 1000));
  },
);

test('Retry-After does not add a fifteenth attempt', () => {
  expect(verdictOf(503, 14, NOW, { retryAfterHeader: '60' })).toMatchObject({
    state: 'exhausted',
    nextAttemptAt: null,
  });
});
