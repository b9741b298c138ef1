import fc from 'fast-check';
import {
  boundAnswer,
  type CarrierAnswer,
  concernsProvider,
  FAILURES,
  type Failure,
  type Found,
  fingerprintOf,
  foldBounded,
  MAX_SCANS,
} from './answer.ts';
import { applyAnswer, type Snapshot } from './change.ts';
import { fold } from './fold.ts';
import type { Scan } from './scan.ts';
import type { ScanStatus } from './status.ts';

const SCAN: Scan = {
  time: '2026-03-09T04:05:06Z',
  timeRaw: '2026-03-09 12:05:06',
  zoneSource: 'default',
  location: '深圳',
  description: '快件已发出',
  status: 'in_transit',
};
const NOW = new Date('2026-03-10T00:00:00Z');
const fingerprint = (answer: CarrierAnswer, now = NOW) => fingerprintOf(answer, now);
const found = (...scans: Scan[]): Found => ({ kind: 'found', scans });
const other = (change: Partial<Scan>): Scan => ({ ...SCAN, ...change });

test.each<[Failure, boolean]>([
  ['invalid_number', false],
  ['needs_input', false],
  ['unreadable', false],
  ['temporary', false],
  ['auth', true],
  ['quota', true],
  ['rate_limited', true],
  ['transient', true],
])('%s concerns the provider as a whole: %s', (failure, expected) => {
  expect(concernsProvider(failure)).toBe(expected);
});

describe('the fingerprint of an answer', () => {
  test.each<Partial<Scan>>([
    { time: '2026-03-09T04:05:07Z' },
    { status: 'delivered' },
    { location: '广州' },
    { description: '快件已签收' },
    { description: `${SCAN.description} ` },
    { location: SCAN.description, description: SCAN.location },
    { location: '', description: SCAN.location + SCAN.description },
    { course: 'going_back' },
    { ownStatus: 'in_transit' },
    { parcel: { status: 'delivered' } },
    { parcel: { status: 'exception', course: 'going_back' } },
  ])('distinguishes what a merchant would see differently: %j', (change) => {
    expect(fingerprint(found(other(change)))).not.toBe(fingerprint(found(SCAN)));
  });

  test.each<Partial<Scan>>([{ timeRaw: '09.03.2026 12:05' }, { zoneSource: 'carrier' }])(
    'ignores changes that are not visible: %j',
    (change) => {
      expect(fingerprint(found(other(change)))).toBe(fingerprint(found(SCAN)));
    },
  );

  test('changes with the status that is reported without any scan', () => {
    const answers: Found[] = [
      found(),
      { ...found(), parcelStatus: 'in_transit' },
      { ...found(), parcelStatus: 'delivered' },
    ];
    expect(new Set(answers.map((answer) => fingerprint(answer))).size).toBe(3);
  });

  test('changes with one scan more, one scan less, and none at all', () => {
    const digests = [found(), found(SCAN), found(SCAN, other({ status: 'delivered' }))].map((answer) =>
      fingerprint(answer),
    );
    expect(new Set(digests).size).toBe(3);
  });

  test('distinguishes what an answer says about the parcel as a whole', () => {
    const answers: Found[] = [
      found(SCAN),
      { ...found(SCAN), pieces: { total: 2, delivered: 0 } },
      { ...found(SCAN), pieces: { total: 2, delivered: 1 } },
      { ...found(SCAN), otherNumber: 'XX1' },
    ];
    expect(new Set(answers.map((answer) => fingerprint(answer))).size).toBe(answers.length);
  });

  test('changes when a scan that was dated ahead has happened', () => {
    const [before, after] = [new Date('2026-03-07T00:00:00Z'), new Date('2026-03-09T00:00:00Z')];
    expect(fingerprint(found(SCAN), before)).not.toBe(fingerprint(found(SCAN), after));
    expect(fingerprint(found(SCAN), after)).toBe(fingerprint(found(SCAN)));
  });

  test('changes when a parcel whose tracking has ended counts as delivered', () => {
    const answer: Found = { ...found(SCAN), isWatchEnded: true };
    expect(fingerprint(answer, new Date('2026-03-16T04:05:05Z'))).toBe(fingerprint(found(SCAN)));
    expect(fingerprint(answer, new Date('2026-03-16T04:05:06Z'))).not.toBe(fingerprint(found(SCAN)));
  });

  test('does not depend on the order of the scans', () => {
    const scan = fc.record({
      time: fc.constantFrom('2026-03-09T04:05:06Z', '2026-03-09T04:05:07Z'),
      timeRaw: fc.constant(''),
      zoneSource: fc.constant('carrier' as const),
      location: fc.string(),
      description: fc.string(),
      status: fc.constantFrom('in_transit' as const, 'delivered' as const),
    });
    const shuffled = fc
      .array(scan)
      .chain((scans) => fc.tuple(fc.constant(scans), fc.shuffledSubarray(scans, { minLength: scans.length })));
    fc.assert(fc.property(shuffled, ([scans, again]) => fingerprint(found(...scans)) === fingerprint(found(...again))));
  });

  test('is not fooled by text that looks like two scans', () => {
    const two = found(other({ description: 'a' }), other({ description: 'b' }));
    const lines = [other({ description: 'a' }), other({ description: 'b' })];
    const one = found(other({ description: lines.map((line) => JSON.stringify(line)).join('\n') }));
    expect(fingerprint(one)).not.toBe(fingerprint(two));
  });

  test('is short, because every job contains it', () => {
    expect(fingerprint(found(...Array.from({ length: 500 }, () => SCAN)))).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  test('of a number that is not known yet is always the same, and differs from that of no scans', () => {
    expect(fingerprint({ kind: 'not_found' })).toBe('not-found');
    expect(fingerprint(found())).not.toBe('not-found');
  });

  test.each(Object.keys(FAILURES) as Failure[])('of the failure %s exists only if a merchant can fix it', (failure) => {
    const digest = fingerprint({ kind: 'failed', failure, message: 'no matter', retryAfterSeconds: 3 });
    expect(digest).toBe(FAILURES[failure] === 'merchant' ? `failed:${failure}` : null);
  });
});

function scan(minute: number, description = 'on its way', more: Partial<Scan> = {}): Scan {
  const time = new Date(Date.UTC(2031, 3, 1, 0, minute)).toISOString().replace('.000Z', 'Z');
  return { time, timeRaw: time, zoneSource: 'carrier', location: '', description, status: 'in_transit', ...more };
}
const history = (count: number) => Array.from({ length: count }, (_, minute) => scan(minute));
const CONTEXT = { now: new Date('2031-04-20T00:00:00Z'), registeredAt: new Date('2031-04-01T00:00:00Z') };
const foundAll = (scans: Scan[]): CarrierAnswer => ({ kind: 'found', scans });

describe('an answer', () => {
  test('within the bounds is unchanged, including its order', () => {
    const answer = foundAll(history(MAX_SCANS).toReversed());
    expect(boundAnswer(answer)).toEqual(answer);
  });

  test('of too many scans keeps the first and the newest, in whatever order it lists them', () => {
    const scans = history(MAX_SCANS + 100);
    const kept = [scans[0], ...scans.slice(101)];
    for (const listed of [scans, scans.toReversed()])
      expect(boundAnswer(foundAll(listed))).toEqual(foundAll(kept as Scan[]));
  });

  test('is sanitized in every text of its scans and in the reason of its failure', () => {
    const dirty = { timeRaw: '1\u0000', location: 'Fenn\u202ebrook', description: '柜'.repeat(330_000) };
    expect(boundAnswer(foundAll([scan(0, '', dirty)]))).toEqual(
      foundAll([scan(0, '', { timeRaw: '1', location: 'Fennbrook', description: '柜'.repeat(500) })]),
    );
    const failed: CarrierAnswer = { kind: 'failed', failure: 'auth', message: 'no\u0000\nkey', retryAfterSeconds: 3 };
    expect(boundAnswer(failed)).toEqual({ ...failed, message: 'no key' });
    expect(boundAnswer({ kind: 'not_found' })).toEqual({ kind: 'not_found' });
  });

  test('that is too long is news once, however often and in any order it is repeated', () => {
    const registered: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
    const scans = history(MAX_SCANS * 3);
    const first = applyAnswer(registered, boundAnswer(foundAll(scans)), CONTEXT);
    expect(first.emits).toEqual(['tracking_update']);
    expect(first.after.scans).toHaveLength(MAX_SCANS);
    // Also without the answer's own bound: the history has one, too.
    for (const again of [boundAnswer(foundAll(scans)), foundAll(scans), foundAll(scans.toReversed())])
      expect(applyAnswer(first.after, again, CONTEXT)).toEqual({ after: first.after, emits: [] });
    expect(fingerprintOf(boundAnswer(foundAll(scans.toReversed())), CONTEXT.now)).toBe(
      fingerprintOf(boundAnswer(foundAll(scans)), CONTEXT.now),
    );
  });

  test('with one scan more is news, although the history is full', () => {
    const registered: Snapshot = { scans: [], status: '查询中', subStatus: 'pending', notice: null };
    const before = applyAnswer(registered, foundAll(history(MAX_SCANS)), CONTEXT).after;
    const delivered = scan(9_999, 'signed', { status: 'delivered' });
    const { after, emits } = applyAnswer(before, foundAll([...history(MAX_SCANS), delivered]), CONTEXT);
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

test('the facts beside the texts of a scan are clean, too, and no address is cut off', () => {
  const long = `https://pod.example.com/${'a'.repeat(600)}`;
  const scan: Scan = {
    ...{ time: '2031-04-01T08:00:00Z', timeRaw: '', zoneSource: 'carrier', location: '', description: 'x' },
    ...{ status: 'delivered', code: 'O\u0000K', place: { city: 'Ki\u0000el', country: 'DE' } },
    proof: { to: 'neighbor', signedBy: 'H\u202eOLT', urls: [long, 'https://pod.example.com/1'] },
  };
  const bounded = boundAnswer({ kind: 'found', scans: [scan] });
  expect(bounded.kind === 'found' && bounded.scans[0]).toMatchObject({
    code: 'OK',
    place: { city: 'Kiel', country: 'DE' },
    proof: { to: 'neighbor', signedBy: 'HOLT', urls: ['https://pod.example.com/1'] },
  });
});
