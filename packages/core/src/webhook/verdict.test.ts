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

test('the wait grows with the attempts', () => {
  expect(verdictOf(500, 13, NOW).nextAttemptAt).toEqual(new Date(NOW.getTime() + 122_880_000));
});

test('after the 14th failure, there are no more attempts', () => {
  expect(verdictOf(500, 14, NOW)).toMatchObject({
    state: 'exhausted',
    error: 'the receiver answered 500; only 200 to 299 is success',
    nextAttemptAt: null,
  });
});

test('the 14th attempt may still succeed', () => {
  expect(verdictOf(200, 14, NOW).state).toBe('delivered');
});

test('a redirect is reported as not followed', () => {
  expect(verdictOf(302, 1, NOW).error).toBe('the receiver answered 302; redirects are not followed');
});

test('a scaled schedule makes the next attempt earlier', () => {
  expect(verdictOf(500, 1, NOW, { timeScale: 0.1 }).nextAttemptAt).toEqual(new Date('2026-03-09T04:05:09.000Z'));
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

test('a receiver that names a time gets no pushes until then', () => {
  expect(verdictOf(429, 5, NOW, { retryAfterHeader: '60' }).holdUntil).toEqual(new Date(NOW.getTime() + 60_000));
  expect(verdictOf(429, 5, NOW).holdUntil).toBeNull();
});

test('Retry-After does not add a fifteenth attempt', () => {
  expect(verdictOf(503, 14, NOW, { retryAfterHeader: '60' })).toMatchObject({
    state: 'exhausted',
    nextAttemptAt: null,
  });
});

test('only 410 says that a receiver is gone', () => {
  expect([404, 410, 500].map((status) => verdictOf(status, 1, NOW).isGone)).toEqual([false, true, false]);
});
