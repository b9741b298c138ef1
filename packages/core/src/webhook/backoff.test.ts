import { delayBeforeAttempt, MAX_ATTEMPTS, nextAttemptAt } from './backoff.ts';

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
