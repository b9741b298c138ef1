import fc from 'fast-check';
import { MAX_SIGNING, rotate, type StoredSecrets, signingSecrets, signingSecretsThen } from './rotation.ts';

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
