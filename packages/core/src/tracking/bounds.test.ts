import fc from 'fast-check';
import { type CarrierAnswer, fingerprintOf } from './answer.ts';
import { boundAnswer, foldBounded, MAX_SCANS } from './bounds.ts';
import { applyAnswer, type Snapshot } from './change.ts';
import { fold } from './fold.ts';
import type { Scan } from './scan.ts';
import type { ScanStatus } from './status.ts';

function scan(minute: number, description = 'on its way', more: Partial<Scan> = {}): Scan {
  const time = new Date(Date.UTC(2031, 3, 1, 0, minute)).toISOString().replace('.000Z', 'Z');
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description, status: 'in_transit', ...more };
}
const history = (count: number) => Array.from({ length: count }, (_, minute) => scan(minute));
const CONTEXT = { now: new Date('2031-04-20T00:00:00Z'), registeredAt: new Date('2031-04-01T00:00:00Z') };
const found = (scans: Scan[]): CarrierAnswer => ({ kind: 'found', scans });

describe('an answer', () => {
  test('within the bounds is unchanged, including its order', () => {
    const answer = found(history(MAX_SCANS).toReversed());
    expect(boundAnswer(answer)).toEqual(answer);
  });

  test('of too many scans keeps the first and the newest, in whatever order it lists them', () => {
    const scans = history(MAX_SCANS + 100);
    const kept = [scans[0], ...scans.slice(101)];
    for (const listed of [scans, scans.toReversed()]) expect(boundAnswer(found(listed))).toEqual(found(kept as Scan[]));
  });

  test('is sanitized in every text of its scans and in the reason of its failure', () => {
    const dirty = { timeRaw: '1\u0000', location: 'Fenn\u202ebrook', description: '柜'.repeat(330_000) };
    expect(boundAnswer(found([scan(0, '', dirty)]))).toEqual(
      found([scan(0, '', { timeRaw: '1', location: 'Fennbrook', description: '柜'.repeat(500) })]),
    );
    const failed: CarrierAnswer = { kind: 'failed', failure: 'auth', message: 'no\u0000\nkey', retryAfterSeconds: 3 };
    expect(boundAnswer(failed)).toEqual({ ...failed, message: 'no key' });
    expect(boundAnswer({ kind: 'not_found' })).toEqual({ kind: 'not_found' });
  });

  test('that is too long is news once, however often and in any order it is repeated', () => {
    const registered: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
    const scans = history(MAX_SCANS * 3);
    const first = applyAnswer(registered, boundAnswer(found(scans)), CONTEXT);
    expect(first.emits).toEqual(['tracking_update']);
    expect(first.after.scans).toHaveLength(MAX_SCANS);
    // Also without the answer's own bound: the history has one, too.
    for (const again of [boundAnswer(found(scans)), found(scans), found(scans.toReversed())])
      expect(applyAnswer(first.after, again, CONTEXT)).toEqual({ after: first.after, emits: [] });
    expect(fingerprintOf(boundAnswer(found(scans.toReversed())), CONTEXT.now)).toBe(
      fingerprintOf(boundAnswer(found(scans)), CONTEXT.now),
    );
  });

  test('with one scan more is news, although the history is full', () => {
    const registered: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
    const before = applyAnswer(registered, found(history(MAX_SCANS)), CONTEXT).after;
    const delivered = scan(9_999, 'signed', { status: 'delivered' });
    const { after, emits } = applyAnswer(before, found([...history(MAX_SCANS), delivered]), CONTEXT);
    expect(emits).toEqual(['tracking_update', 'tracking_delivered']);
    expect(after.scans).toHaveLength(MAX_SCANS);
    expect([after.scans[0], after.scans.at(-1)]).toEqual([scan(0), delivered]);
  });
});

describe('of any bounded history and any answer', () => {
  const MAX = 4;
  const STATUS_OF = { a: 'in_transit', b: 'out_for_delivery', c: 'exception' } as const satisfies Record<
    string,
    ScanStatus
  >;
  const scans = fc.array(
    fc
      .record({
        minute: fc.integer({ min: 1, max: 5 }),
        description: fc.constantFrom('a' as const, 'b' as const, 'c' as const),
        timeRaw: fc.constantFrom('p', 'q'),
      })
      // The same words at another time, or with another status, would be corrections, which have other rules.
      .map(({ minute, description, ...more }) =>
        scan(minute, `${description}${minute}`, { ...more, status: STATUS_OF[description] }),
      ),
    { maxLength: 12 },
  );
  const histories = scans.map((some) => foldBounded([], some, MAX).scans);

  test('the bound holds, and the first and the newest scan are kept', () => {
    fc.assert(
      fc.property(histories, scans, (before, answer) => {
        const whole = fold(before, answer).scans;
        const kept = foldBounded(before, answer, MAX).scans;
        expect(kept.length).toBeLessThanOrEqual(MAX);
        expect([kept[0]?.time, kept.at(-1)]).toEqual([whole[0]?.time, whole.at(-1)]);
      }),
    );
  });

  test('folding it a second time changes nothing and is not news', () => {
    fc.assert(
      fc.property(histories, scans, (before, answer) => {
        const once = foldBounded(before, answer, MAX).scans;
        expect(foldBounded(once, answer, MAX)).toMatchObject({ scans: once, isNews: false });
      }),
    );
  });

  test('the order in which the answer lists its scans does not matter', () => {
    const reordered = scans.chain((answer) =>
      fc.tuple(fc.constant(answer), fc.shuffledSubarray(answer, { minLength: answer.length })),
    );
    fc.assert(
      fc.property(histories, reordered, (before, [answer, again]) => {
        expect(foldBounded(before, again, MAX)).toEqual(foldBounded(before, answer, MAX));
      }),
    );
  });

  test('folding two answers equals folding both at once, where no scan corrects another', () => {
    const distinct = scans.map((all) => [...new Map(all.map((one) => [one.time, one])).values()]);
    const answers = distinct.chain((all) => fc.record({ a: fc.subarray(all), b: fc.subarray(all) }));
    fc.assert(
      fc.property(answers, ({ a, b }) => {
        const both = foldBounded([], [...a, ...b], MAX).scans;
        expect(foldBounded(foldBounded([], a, MAX).scans, b, MAX).scans).toEqual(both);
        expect(foldBounded(foldBounded([], b, MAX).scans, a, MAX).scans).toEqual(both);
      }),
    );
  });
});
