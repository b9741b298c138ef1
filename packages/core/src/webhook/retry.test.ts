import { delayBeforeAttempt, MAX_ATTEMPTS, nextAttemptAt, retryAfter, verdictOf } from './retry.ts';

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
      error: { values: { status } },
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
    error: 'the receiver responded with 500; only 200 to 299 counts as success',
    nextAttemptAt: null,
  });
});

test('the 14th attempt may still succeed', () => {
  expect(verdictOf(200, 14, NOW).state).toBe('delivered');
});

test('a redirect is reported as not followed', () => {
  expect(verdictOf(302, 1, NOW).error).toEqual('the receiver responded with 302; redirects are not followed');
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

/** The table of spec section 6.4. */
const LADDER: readonly (readonly [attempt: number, delay: number, cumulative: number])[] = [
  [1, 0, 0],
  [2, 30, 30],
  [3, 60, 90],
  [4, 120, 210],
  [5, 240, 450],
  [6, 480, 930],
  [7, 960, 1890],
  [8, 1920, 3810],
  [9, 3840, 7650],
  [10, 7680, 15_330],
  [11, 15_360, 30_690],
  [12, 30_720, 61_410],
  [13, 61_440, 122_850],
  [14, 122_880, 245_730],
];
const T0 = new Date('2026-03-09T04:05:06.789Z');
const after = (seconds: number) => new Date(T0.getTime() + seconds * 1000);

test.each(LADDER)(
  'attempt %i is made %i s after the one before, %i s after the first',
  (attempt, delay, cumulative) => {
    expect(delayBeforeAttempt(attempt)).toBe(delay);
    const delays = Array.from({ length: attempt }, (_, index) => delayBeforeAttempt(index + 1) ?? Number.NaN);
    expect(delays.reduce((sum, seconds) => sum + seconds, 0)).toBe(cumulative);
  },
);

test('there are 14 attempts in all', () => {
  expect(MAX_ATTEMPTS).toBe(LADDER.length);
  expect(delayBeforeAttempt(15)).toBeNull();
  expect(nextAttemptAt(14, T0)).toBeNull();
  expect(nextAttemptAt(15, T0)).toBeNull();
});

test.each(LADDER.slice(1))('when the attempt before it fails, attempt %i is due %i s later', (attempt, delay) => {
  expect(nextAttemptAt(attempt - 1, T0)).toEqual(after(delay));
});

test('each attempt failing at once, the last is made about 68 hours after the first', () => {
  let at: Date | null = T0;
  for (let made = 1; made < MAX_ATTEMPTS && at; made += 1) at = nextAttemptAt(made, at);
  expect(at).toEqual(after(245_730));
});

test('the retry schedule can be scaled', () => {
  expect(nextAttemptAt(1, T0, 0.001)).toEqual(after(0.03));
  expect(nextAttemptAt(13, T0, 0.001)).toEqual(after(122.88));
  expect(nextAttemptAt(14, T0, 0.001)).toBeNull();
});

const ANSWERED_AT = new Date('2031-04-05T06:00:00Z');
const later = (seconds: number) => new Date(ANSWERED_AT.getTime() + seconds * 1000);

test.each<[number, string | null, Date | null]>([
  [429, '120', later(120)],
  [503, ' 1 ', later(1)],
  [503, 'Sat, 05 Apr 2031 06:10:00 GMT', later(600)],
  [429, '999999999999', later(86_400)],
  [429, 'Sat, 05 Apr 2099 06:10:00 GMT', later(86_400)],
  [429, '0', null],
  [429, '-5', null],
  [429, '1.5e3 years', null],
  [429, '', null],
  [429, 'Sat, 05 Apr 2031 05:59:59 GMT', null],
  [429, null, null],
  [500, '120', null],
  [200, '120', null],
  [301, '120', null],
])('an answer %i with Retry-After %j', (status, header, wanted) => {
  expect(retryAfter(status, header, ANSWERED_AT)).toEqual(wanted);
});
