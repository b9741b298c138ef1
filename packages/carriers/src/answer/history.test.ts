import fc from 'fast-check';
import { answerFrom } from './history.ts';
import type { Meaning, ReadScan } from './meaning.ts';

const read = (time: string, meaning: ReadScan['meaning']): ReadScan => ({
  scan: { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '' },
  meaning,
});
const OFD: Meaning = { status: 'out_for_delivery' };
const DELIVERED: Meaning = { status: 'delivered' };

describe('a history', () => {
  test('without scans has the state of the parcel, if that is known', () => {
    expect(answerFrom([], 'ACME', { state: OFD })).toEqual({
      kind: 'found',
      scans: [],
      parcelStatus: 'out_for_delivery',
    });
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
  });

  test.each([
    ['2031-05-01T09:00:00+00:00', true],
    ['2031-05-01T09:00:00+02:00', undefined],
    ['2031-05-01T08:00:00Z', undefined],
    ['2031-05-01 21:00:00', undefined],
    ['2031-05-02T00:00:00', true],
    ['soon', undefined],
  ])('at 08:00, has a state of %s, which is later: %s', (stateAt, isLater) => {
    const scan = read('2031-05-01T08:00:00Z', { status: 'info_received' });
    const answer = answerFrom([scan], 'ACME', { state: DELIVERED, stateAt });
    expect(answer).toMatchObject({ scans: [{ parcel: { status: 'delivered' } }] });
    expect(answer.kind === 'found' && answer.scans[0]?.parcel?.isLater).toBe(isLater);
  });

  test('means the same in any order', () => {
    const meanings: ReadScan['meaning'][] = ['silent', 'informational', OFD, DELIVERED];
    const scans = meanings.map((meaning, i) => read(`2031-05-0${i + 1}T08:00:00Z`, meaning));
    const sorted = (list: readonly ReadScan[]) => {
      const answer = answerFrom(list, 'ACME', { state: DELIVERED });
      return answer.kind === 'found' ? answer.scans.toSorted((a, b) => a.time.localeCompare(b.time)) : answer;
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(scans, { minLength: scans.length }), (shuffled) => {
        expect(sorted(shuffled)).toEqual(sorted(scans));
      }),
    );
  });
});
