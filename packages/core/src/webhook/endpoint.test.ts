import { textMatching } from '@pts/testing/text-matching';
import fc from 'fast-check';
import {
  type ConcurrencyWindow,
  firstWindow,
  giveUpReason,
  isSlow,
  MAX_SIGNING,
  replayRange,
  rotate,
  type StoredSecrets,
  signingSecrets,
  signingSecretsThen,
  WIDEST_WINDOW,
  windowAfter,
} from './endpoint.ts';

const SINCE = new Date('2031-04-05T06:00:00Z');
const daysLater = (days: number) => new Date(SINCE.getTime() + days * 86_400_000);

test('an endpoint is disabled after five days of failures, with the date of the first', () => {
  expect(giveUpReason(SINCE, daysLater(4.99))).toBeNull();
  expect(`${giveUpReason(SINCE, daysLater(5))}`).toMatch(/5 days, since 2031-04-05/);
});

function after(window: ConcurrencyWindow, ...answers: [succeeded: boolean, durationMs: number][]): ConcurrencyWindow {
  return answers.reduce((now, [succeeded, durationMs]) => windowAfter(now, succeeded, durationMs), window);
}
const times = <T>(count: number, value: T) => Array<T>(count).fill(value);
const prompt: [boolean, number] = [true, 20];

test('an endpoint that was failing begins with two pushes at a time, an unknown one with four', () => {
  expect(firstWindow(true).size).toBe(2);
  expect(firstWindow(false).size).toBe(4);
});

test('during recovery, the window doubles with each round of successes, up to its maximum', () => {
  let window = firstWindow(true);
  for (const widest of [4, 8, 16, 32, 64, 64]) {
    window = after(window, ...times(window.size, prompt));
    expect(window.size).toBe(Math.min(widest, WIDEST_WINDOW));
  }
});

test('every failure halves the window, down to two', () => {
  const wide = after(firstWindow(false), ...times(60, prompt));
  expect(after(wide, [false, 5]).size).toBe(32);
  expect(after(wide, ...times(9, [false, 5] as [boolean, number])).size).toBe(2);
});

test('an endpoint that hangs, or succeeds slowly, counts as slow and gets few places', () => {
  const hanging = after(firstWindow(false), ...times(4, [false, 10_000] as [boolean, number]));
  expect(isSlow(hanging)).toBe(true);
  expect(hanging.size).toBe(2);
  const slow = after(firstWindow(false), ...times(100, [true, 9000] as [boolean, number]));
  expect(isSlow(slow)).toBe(true);
  expect(slow.size).toBe(16);
});

test('a slow endpoint that becomes fast counts as fast again', () => {
  const slow = after(firstWindow(false), ...times(20, [true, 9000] as [boolean, number]));
  expect(isSlow(after(slow, ...times(20, prompt)))).toBe(false);
});

const START = Date.UTC(2026, 0, 2);
const HOUR = 3_600_000;
const hours = (count: number) => new Date(START + count * HOUR);
const first: StoredSecrets = { encryptedSecret: 's0', retiredSecrets: [], retiredUntil: [] };

/** The secrets after rotations at these hours; the secret of the nth is `s<n>`. */
function rotatedAt(...times: number[]): StoredSecrets {
  return times.reduce((stored, hour, index) => {
    const rotated = rotate(stored, `s${index + 1}`, hours(hour));
    if (rotated.kind !== 'rotated') throw new Error('too many');
    return rotated.secrets;
  }, first);
}

describe('which secrets sign', () => {
  test.each<[string, StoredSecrets, number, string[]]>([
    ['never rotated', first, 0, ['s0']],
    ['within the 24 hours', rotatedAt(0), 23.9, ['s1', 's0']],
    ['at their end', rotatedAt(0), 24, ['s1']],
    ['a repeated rotation keeps the receiver’s secret', rotatedAt(0, 0.01), 1, ['s2', 's1', 's0']],
    ['each has its own 24 hours', rotatedAt(0, 10, 20), 25, ['s3', 's2', 's1']],
  ])('%s', (_, stored, hour, secrets) => {
    expect(signingSecrets(stored, hours(hour))).toEqual(secrets);
  });

  test('every secret that was current within the last 24 hours signs, whatever the rotations', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 30 * 60 }), { maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 0, max: 30 * 60 }), (minutes, later) => {
        let [stored, time] = [first, START];
        const replaced: { box: string; at: number }[] = [];
        for (const [index, gap] of minutes.entries()) {
          time += gap * 60_000;
          const rotated = rotate(stored, `s${index + 1}`, new Date(time));
          if (rotated.kind === 'too_many') expect(signingSecrets(stored, new Date(time))).toHaveLength(MAX_SIGNING);
          else {
            replaced.unshift({ box: stored.encryptedSecret, at: time });
            stored = rotated.secrets;
          }
        }
        const at = time + later * 60_000;
        const expected = replaced.filter((one) => one.at + 24 * HOUR > at).map(({ box }) => box);
        expect(signingSecrets(stored, new Date(at))).toEqual([stored.encryptedSecret, ...expected]);
      }),
    );
  });
});

describe('rotating', () => {
  test('a rotation with too many signing secrets is refused until the oldest expires', () => {
    const full = rotatedAt(...Array.from({ length: MAX_SIGNING - 1 }, (_, n) => n / 10));
    expect(signingSecrets(full, hours(2))).toHaveLength(MAX_SIGNING);
    expect(rotate(full, 'next', hours(2))).toEqual({ kind: 'too_many', until: hours(24) });
    expect(rotate(full, 'next', hours(24))).toMatchObject({ kind: 'rotated' });
  });

  test('a secret that has not signed for a day is deleted', () => {
    expect(rotatedAt(0, 30, 60).retiredSecrets).toEqual(['s2', 's1']);
  });
});

describe('looking back at an attempt', () => {
  test.each<[string, StoredSecrets, number, string[] | null]>([
    ['before the rotation', rotatedAt(0), -0.1, null],
    ['as it was rotated', rotatedAt(0), 0, null],
    ['during the rotation', rotatedAt(0), 1, ['s1', 's0']],
    ['at the end of the rotation', rotatedAt(0), 24, ['s1']],
    ['between two rotations', rotatedAt(0, 10), 5, ['s1', 's0']],
    ['as it was rotated again', rotatedAt(0, 10), 10, null],
    ['after two rotations', rotatedAt(0, 10), 11, ['s2', 's1', 's0']],
    ['once the older has expired', rotatedAt(0, 10), 25, ['s2', 's1']],
    ['too long before the last rotation', rotatedAt(0, 40), 15, null],
    ['a day before the last rotation', rotatedAt(0, 40), 17, ['s1', 's0']],
    ['of a secret that was never rotated', first, -1_000_000, ['s0']],
  ])('%s', (_, stored, hour, secrets) => {
    expect(signingSecretsThen(stored, hours(hour))).toEqual(secrets);
  });
});

const now = new Date('2031-04-30T12:00:00.500Z');
const range = (since: string, until?: string) => replayRange({ since, until }, { now, retentionDays: 30 });

test('a range ends now by default', () => {
  const since = new Date('2031-04-05T06:00:00Z');
  expect(range('2031-04-05T06:00:00Z')).toEqual({ since, until: now });
  expect(range('2031-04-05T06:00:00Z', '2031-04-05T07:00:00.25Z')).toEqual({
    since,
    until: new Date('2031-04-05T07:00:00.250Z'),
  });
});

test.each([
  ['2031-04-05T06:00:00+00:00', '2031-04-05T06:00:00.000Z'],
  ['2031-04-05T14:00:00+08:00', '2031-04-05T06:00:00.000Z'],
  ['2031-04-04T22:30:00.123456789-07:30', '2031-04-05T06:00:00.123Z'],
])('a time in the format %s is accepted', (since, meant) => {
  expect(range(since)).toMatchObject({ since: new Date(meant) });
});

test.each([
  ['no time', 'since', 'yesterday', undefined],
  ['an unknown zone', 'since', '2031-04-05T06:00:00+24:00', undefined],
  ['no zone', 'since', '2031-04-05T06:00:00', undefined],
  ['an impossible day', 'since', '2031-02-30T06:00:00Z', undefined],
  ['an impossible hour', 'until', '2031-04-05T06:00:00Z', '2031-04-05T25:00:00Z'],
  ['an empty range', 'since', '2031-04-05T06:00:00Z', '2031-04-05T06:00:00Z'],
  ['an end before its beginning', 'since', '2031-04-05T06:00:00Z', '2031-04-04T06:00:00Z'],
  ['the future', 'until', '2031-04-05T06:00:00Z', '2031-05-05T06:00:00Z'],
  ['a beginning in the future', 'since', '2031-05-05T06:00:00Z', undefined],
  ['a time before the retention', 'since', '2031-03-31T12:00:00Z', undefined],
])('%s is refused', (_, field, since, until) => {
  expect(range(since, until)).toEqual({ field, message: textMatching(/./) });
});

test('the whole retention may be replayed', () => {
  expect(range('2031-03-31T12:00:00.500Z')).toMatchObject({ until: now });
});
