import type { CarrierAnswer, FailedAnswer, Failure } from './answer.ts';
import {
  BREAKER_PARCELS,
  BREAKER_THRESHOLD,
  failedAlone,
  isWorthAskingSoon,
  MOMENT_SECONDS,
  outageOf,
  pauseUntil,
} from './outage.ts';

const NOW = new Date('2026-12-31T23:30:00.000Z');
const failed = (failure: Failure, retryAfterSeconds?: number): FailedAnswer => ({
  kind: 'failed',
  failure,
  message: `${failure}!`,
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});
const found: CarrierAnswer = { kind: 'found', scans: [] };
const notFound: CarrierAnswer = { kind: 'not_found' };

describe('a failed call shows that the provider has outage', () => {
  test.each<Failure>(['auth', 'quota', 'rate_limited', 'transient'])('when every number failed with %s', (failure) => {
    expect(outageOf([failed(failure), failed(failure)])).toMatchObject({ failure, message: `${failure}!` });
  });

  test('when nothing of the call could be read', () => {
    expect(outageOf([failed('unreadable'), failed('unreadable')])).toMatchObject({ failure: 'unreadable' });
  });

  test('when the numbers failed for different reasons: the first counts', () => {
    expect(outageOf([failed('transient'), failed('auth')])).toMatchObject({ failure: 'transient' });
  });

  test('with the pause that the provider requests', () => {
    expect(outageOf([failed('rate_limited', 60)])).toMatchObject({ retryAfterSeconds: 60 });
  });

  test.each<[string, CarrierAnswer[]]>([
    ['no number was queried', []],
    ['one number was found', [failed('transient'), found]],
    ['one number is not known yet', [notFound, failed('transient')]],
    ['one number is invalid', [failed('transient'), failed('invalid_number')]],
    ['one number needs more input', [failed('needs_input'), failed('transient')]],
    ['one answer could not be read', [failed('unreadable'), failed('transient')]],
    ['each failure concerns its own number', [failed('temporary'), failed('unreadable')]],
    ['every number was answered', [found, notFound]],
  ])('but not when %s', (_why, answers) => {
    expect(outageOf(answers)).toBeNull();
  });
});

describe('a provider outage', () => {
  const pause = (
    outage: { failure: Failure; retryAfterSeconds?: number },
    failures = 1,
    { parcels = 3, isProbe = false } = {},
  ): number | null => {
    const until = pauseUntil({ message: '', ...outage }, { failures, parcels, isProbe }, NOW);
    return until && (until.getTime() - NOW.getTime()) / 1000;
  };

  test.each([
    [1, null],
    [2, null],
    [3, null],
    [4, null],
    [5, 30],
    [6, 60],
    [7, 120],
    [8, 240],
    [9, 480],
    [10, 900],
    [11, 900],
    [5000, 900],
  ])('that fails for the %i. time in a row is paused for %s seconds', (failures, seconds) => {
    expect(pause({ failure: 'transient' }, failures)).toBe(seconds);
  });

  test('opens its breaker at the fifth moment in a row, if calls failed for at least three parcels', () => {
    expect([BREAKER_THRESHOLD, BREAKER_PARCELS, MOMENT_SECONDS]).toEqual([5, 3, 5]);
    expect(pause({ failure: 'transient' }, 5, { parcels: 2 })).toBeNull();
    expect(pause({ failure: 'transient' }, 500, { parcels: 2 })).toBeNull();
  });

  test.each([
    [2, 30],
    [5, 30],
    [6, 60],
    [9, 480],
    [10, 900],
  ])(
    'whose probe fails as the %i. failure is paused for %i seconds, whichever parcel it was about',
    (failures, seconds) => {
      expect(pause({ failure: 'transient' }, failures, { parcels: 1, isProbe: true })).toBe(seconds);
    },
  );

  test.each<Failure>(['auth', 'quota', 'rate_limited'])(
    'that answers %s is paused even if only one parcel is affected',
    (failure) => {
      expect(pause({ failure }, 1, { parcels: 1 })).not.toBeNull();
    },
  );

  test.each([
    [1, 120],
    [2, 240],
    [3, 480],
    [4, 900],
    [5000, 900],
  ])('that limits us for the %i. time in a row is paused for %i seconds', (failures, seconds) => {
    expect(pause({ failure: 'rate_limited' }, failures)).toBe(seconds);
  });

  test.each([0, 7, 3600])('that limits us with Retry-After %i seconds is paused for that time', (retryAfterSeconds) => {
    expect(pause({ failure: 'rate_limited', retryAfterSeconds }, 9)).toBe(retryAfterSeconds);
  });

  test('that refuses our credentials is paused for 15 minutes', () => {
    expect(pause({ failure: 'auth' }, 1)).toBe(900);
    expect(pause({ failure: 'auth' }, 50)).toBe(900);
  });

  test.each([
    ['2026-12-31T23:30:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2026-03-09T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    ['2026-03-09T05:00:00.000+08:00', '2026-03-09T00:00:00.000Z'],
  ])('whose quota is spent at %s is paused until the next UTC day, %s', (now, until) => {
    const evidence = { failures: 1, parcels: 1, isProbe: false };
    expect(pauseUntil({ failure: 'quota', message: '' }, evidence, new Date(now))).toEqual(new Date(until));
  });

  test('whose quota is spent and that names a time is paused until then', () => {
    expect(pause({ failure: 'quota', retryAfterSeconds: 600 })).toBe(600);
  });
});

describe('a parcel whose own calls fail', () => {
  const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

  test.each([
    ['before, in the same moment', -5, true],
    ['at the same time', 0, true],
    ['later', 60, true],
    ['before, in another moment', -5.001, false],
  ])('does not affect its provider when another call was made %s and succeeded', (_when, seconds, expected) => {
    expect(failedAlone(NOW, at(seconds))).toBe(expected);
  });

  test('counts against its provider when no call has succeeded', () => {
    expect(failedAlone(NOW, undefined)).toBe(false);
  });

  test('is checked again soon for two minutes, and then at its regular interval', () => {
    const since = [null, ...[0, 119.999, 120, 9_999].map((seconds) => NOW.getTime() - seconds * 1000)];
    expect(since.map((ms) => isWorthAskingSoon(ms, NOW))).toEqual([true, true, true, false, false]);
  });
});
