import type { CarrierAnswer } from '@pts/core/tracking/answer';
import fc from 'fast-check';
import type { Meaning } from '../scans/meaning.ts';
import { answerFrom, answersByNumber, type ReadMeaning, type ReadScan, type Result, refusedCall } from './answers.ts';

const read = (time: string, meaning: ReadMeaning, more: Partial<ReadScan> = {}): ReadScan => ({
  scan: { time, timeRaw: time, zoneSource: 'carrier', location: '', description: '' },
  meaning,
  ...more,
});
const OFD: Meaning = { status: 'out_for_delivery' };
const AT_SHOP: Meaning = { status: 'available_for_pickup' };
const DELIVERED: Meaning = { status: 'delivered' };
const statuses = (answer: CarrierAnswer) =>
  answer.kind === 'found' ? answer.scans.map(({ status, ownStatus }) => [status, ownStatus]) : answer;

describe('a history', () => {
  test('gives the newest scan the state of the parcel, unless its own is more specific', () => {
    const older = read('2031-05-01T08:00:00Z', 'unspoken');
    const newest = read('2031-05-02T08:00:00Z', 'unspoken');
    expect(statuses(answerFrom([newest, older], 'ACME', { ofParcel: DELIVERED }))).toEqual([
      ['delivered', 'in_transit'],
      ['in_transit', undefined],
    ]);
    const specific = { ...newest, meaning: AT_SHOP };
    expect(statuses(answerFrom([older, specific], 'ACME', { ofParcel: DELIVERED }))).toEqual([
      ['in_transit', undefined],
      ['available_for_pickup', undefined],
    ]);
    const coarse = { ...specific, isCoarse: true };
    expect(statuses(answerFrom([coarse], 'ACME', { ofParcel: DELIVERED }))).toEqual([
      ['delivered', 'available_for_pickup'],
    ]);
  });

  test('is delivered if the parcel is, even before the delivery itself is listed', () => {
    const scans = [read('2031-05-02T08:00:00Z', OFD)];
    expect(statuses(answerFrom(scans, 'ACME', { ofParcel: DELIVERED }))).toEqual([['delivered', 'out_for_delivery']]);
    expect(statuses(answerFrom(scans, 'ACME', { ofParcel: AT_SHOP }))).toEqual([['out_for_delivery', undefined]]);
  });

  test('is in transit if the parcel is, even while only its announcement is listed', () => {
    const scans = [read('2031-05-02T08:00:00Z', { status: 'info_received' })];
    expect(statuses(answerFrom(scans, 'ACME', { ofParcel: OFD }))).toEqual([['out_for_delivery', 'info_received']]);
    expect(statuses(answerFrom(scans, 'ACME', { ofParcel: { status: 'info_received' } }))).toEqual([
      ['info_received', undefined],
    ]);
  });

  test('without scans has the state of the parcel, if that is known', () => {
    expect(answerFrom([], 'ACME', { ofParcel: OFD })).toEqual({
      kind: 'found',
      scans: [],
      parcelStatus: 'out_for_delivery',
    });
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
  });

  test('gives it to the one listed as the newest, where several have the same time', () => {
    const [before, first, last] = ['08:00', '09:00', '09:00'].map((time) => read(`2031-05-01T${time}:00Z`, 'unspoken'));
    if (!before || !first || !last) throw new Error('three scans');
    const ofParcel = { ofParcel: DELIVERED };
    const given = (list: ReadScan[]) => {
      const answer = answerFrom(list, 'ACME', ofParcel);
      return answer.kind === 'found' ? answer.scans.map(({ status }) => status) : answer;
    };
    expect(given([before, first, last])).toEqual(['in_transit', 'in_transit', 'delivered']);
    expect(given([last, first, before])).toEqual(['delivered', 'in_transit', 'in_transit']);
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
    const meanings: ReadMeaning[] = ['unspoken', 'informational', OFD, DELIVERED];
    const scans = meanings.map((meaning, i) => read(`2031-05-0${i + 1}T08:00:00Z`, meaning));
    const sorted = (list: readonly ReadScan[]) => {
      const answer = answerFrom(list, 'ACME', { ofParcel: DELIVERED });
      return answer.kind === 'found' ? answer.scans.toSorted((a, b) => a.time.localeCompare(b.time)) : answer;
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(scans, { minLength: scans.length }), (shuffled) => {
        expect(sorted(shuffled)).toEqual(sorted(scans));
      }),
    );
  });

  test('is not found without scans, and unreadable with a scan that cannot be read', () => {
    expect(answerFrom([], 'ACME')).toEqual({ kind: 'not_found' });
    expect(answerFrom([read('2031-05-01T08:00:00Z', OFD), null], 'ACME')).toMatchObject({
      failure: 'unreadable',
      message: 'ACME answered a scan with an unreadable time (number 2)',
    });
  });
});

describe('the answers to a call', () => {
  const found = (...numbers: string[]): Result => ({
    numbers,
    answer: answerFrom([read('2031-05-01T08:00:00Z', OFD)], 'ACME'),
  });
  const asked = (...numbers: string[]) => numbers.map((number) => ({ number, carrier: 'acme' }));
  const notFound: Result = { numbers: ['B2'], answer: { kind: 'not_found' } };

  test('are matched by number, whatever their position, spelling and leading zeros', () => {
    const results = [notFound, found('internal-7', '00a-1')];
    expect(answersByNumber(asked('A1', 'B2'), results, 'ACME')).toMatchObject([
      { kind: 'found' },
      { kind: 'not_found' },
    ]);
  });

  test('are the first one, if no number was given', () => {
    const [answer] = answersByNumber(asked(''), [found('X9'), notFound], 'ACME');
    expect(answer).toMatchObject({ kind: 'found' });
    expect(answer).not.toHaveProperty('otherNumber');
  });

  test('fail only for the missing number', () => {
    expect(answersByNumber(asked('A1', 'C3'), [found('A1'), found('X9')], 'ACME')).toMatchObject([
      { kind: 'found' },
      { kind: 'failed', failure: 'unreadable', message: 'ACME did not answer about C3' },
    ]);
  });

  test('carry the number that they name if only one was requested and it is another', () => {
    expect(answersByNumber(asked('A1'), [found('X-9')], 'ACME')).toMatchObject([{ kind: 'found', otherNumber: 'X9' }]);
    expect(answersByNumber(asked('A1'), [notFound], 'ACME')).toMatchObject([{ failure: 'unreadable' }]);
  });

  test('are about the requested number if it was the only one and they name none', () => {
    const [answer] = answersByNumber(asked('A1'), [found('')], 'ACME');
    expect(answer).toMatchObject({ kind: 'found' });
    expect(answer).not.toHaveProperty('otherNumber');
    expect(answersByNumber(asked('A1', 'B2'), [found('')], 'ACME')).toMatchObject([
      { failure: 'unreadable' },
      { failure: 'unreadable' },
    ]);
  });

  test('a refusal of a call with several numbers marks none of them as invalid', () => {
    const refusal: CarrierAnswer = { kind: 'failed', failure: 'invalid_number', message: 'no' };
    expect(refusedCall(asked('A1'), refusal)).toEqual([refusal]);
    expect(refusedCall(asked('A1', 'B2'), refusal)).toMatchObject([{ failure: 'temporary' }, { failure: 'temporary' }]);
    const auth: CarrierAnswer = { kind: 'failed', failure: 'auth', message: 'no' };
    expect(refusedCall(asked('A1', 'B2'), auth)).toEqual([auth, auth]);
  });
});
