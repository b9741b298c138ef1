import { verdictOf } from './verdict.ts';

const NOW = new Date('2026-03-09T04:05:06.000Z');
const in30Seconds = new Date('2026-03-09T04:05:36.000Z');

test.each([200, 201, 202, 204, 299])('%i is success: nothing more is owed', (status) => {
  expect(verdictOf(status, 3, NOW)).toEqual({ state: 'delivered', error: null, nextAttemptAt: null });
});

test.each([0, 100, 199, 300, 301, 302, 304, 307, 308, 399, 400, 401, 404, 408, 410, 429, 499, 500, 502, 503, 504, 599])(
  '%i is a failure: the next attempt is owed',
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

test('after the 14th failure pushing stops for good', () => {
  expect(verdictOf(500, 14, NOW)).toEqual({
    state: 'exhausted',
    error: 'the receiver answered 500; only 200 to 299 is success',
    nextAttemptAt: null,
  });
});

test('the 14th attempt may still succeed', () => {
  expect(verdictOf(200, 14, NOW).state).toBe('delivered');
});

test('of a redirect it is said that none is followed', () => {
  expect(verdictOf(302, 1, NOW).error).toBe('the receiver answered 302; redirects are not followed');
});

test('a faster ladder moves the next attempt nearer', () => {
  expect(verdictOf(500, 1, NOW, 0.1).nextAttemptAt).toEqual(new Date('2026-03-09T04:05:09.000Z'));
});
