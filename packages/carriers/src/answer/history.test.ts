import type { CarrierAnswer } from '@pts/core/tracking/answer';
import fc from 'fast-check';
import { answerFrom } from './history.ts';
import type { Meaning, ReadScan } from './meaning.ts';

const read = (time: string, meaning: ReadScan['meaning']): ReadScan => ({
  scan: { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '' },
  meaning,
});
const OFD: Meaning = { status: 'out_for_delivery' };
const DELIVERED: Meaning = { status: 'delivered' };
const statuses = (answer: CarrierAnswer) =>
  answer.kind === 'found' ? answer.scans.map(({ status, ownStatus }) => [status, ownStatus]) : answer;

describe('a history', () => {
  test('without scans has the state of the parcel, if that is known', () => {
    expect(answerFrom([], 'ACME', { state: OFD })).toEqual({
      kind: 'found',
      scans: [],
      parcelStatus: 'out_for_delivery',
    });
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
  });

  test('gives it to the one listed as the newest, where several have the same time', () => {
    const [before, first, last] = ['08:00', '09:00', '09:00'].map((time) => read(`2031-05-01T${time}:00Z`, 'silent'));
    if (!before || !first || !last) throw new Error('three scans');
    const ofParcel = { state: DELIVERED };
    const given = (list: ReadScan[]) => {
      const answer = answerFrom(list, 'ACME', ofParcel);
      return answer.kind === 'found' ? answer.scans.map(({ status }) => status) : answer;
    };
    expect(given([before, first, last])).toEqual(['in_transit', 'in_transit', 'delivered']);
    expect(given([last, first, before])).toEqual(['delivered', 'in_transit', 'in_transit']);
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

  test('does not change the status at an informational scan', () => {
    const scans = [
      read('2031-05-03T08:00:00Z', 'informational'),
      read('2031-05-01T08:00:00Z', OFD),
      read('2031-05-02T08:00:00Z', DELIVERED),
    ];
    expect(statuses(answerFrom(scans, 'ACME'))).toEqual([
      ['delivered', undefined],
      ['out_for_delivery', undefined],
      ['delivered', undefined],
    ]);
    expect(statuses(answerFrom([read('2031-05-03T08:00:00Z', 'informational')], 'ACME'))).toEqual([
      ['in_transit', undefined],
    ]);
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

  test.each([
    ['See <a href="https://acme.test">the terms</a> < 5 kg', 'See the terms < 5 kg'],
    ['<b>Delivered</b><br/>to&nbsp;Fenn &amp; Co', 'Delivered to Fenn & Co'],
    ['AT&T; a < b > c', 'AT&T; a < b > c'],
  ])('shows %s without HTML', (description, shown) => {
    const { scan, meaning } = read('2031-05-01T08:00:00Z', DELIVERED);
    const answer = answerFrom([{ scan: { ...scan, description }, meaning }], 'ACME');
    expect(answer).toMatchObject({ scans: [{ description: shown }] });
  });

  test('is not found without scans, and unreadable with a scan that cannot be read', () => {
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
    expect(answerFrom([read('2031-05-01T08:00:00Z', OFD), null], 'ACME')).toMatchObject({
      failure: 'unreadable',
      message: 'ACME answered a scan with an unreadable time (number 2)',
    });
  });
});
