import fc from 'fast-check';
import {
  type CarrierAnswer,
  concernsProvider,
  FAILURES,
  type Failure,
  type Found,
  fingerprintOf as fingerprintAt,
} from './answer.ts';
import type { Scan } from './scan.ts';

const SCAN: Scan = {
  time: '2026-03-09T04:05:06Z',
  timeRaw: '2026-03-09 12:05:06',
  zoneSource: 'default',
  location: '深圳',
  description: '快件已发出',
  status: 'in_transit',
};
const NOW = new Date('2026-03-10T00:00:00Z');
const fingerprintOf = (answer: CarrierAnswer, now = NOW) => fingerprintAt(answer, now);
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
    expect(fingerprintOf(found(other(change)))).not.toBe(fingerprintOf(found(SCAN)));
  });

  test.each<Partial<Scan>>([{ timeRaw: '09.03.2026 12:05' }, { zoneSource: 'carrier' }])(
    'ignores changes that are not visible: %j',
    (change) => {
      expect(fingerprintOf(found(other(change)))).toBe(fingerprintOf(found(SCAN)));
    },
  );

  test('changes with the status that is reported without any scan', () => {
    const answers: Found[] = [
      found(),
      { ...found(), parcelStatus: 'in_transit' },
      { ...found(), parcelStatus: 'delivered' },
    ];
    expect(new Set(answers.map((answer) => fingerprintOf(answer))).size).toBe(3);
  });

  test('changes with one scan more, one scan less, and none at all', () => {
    const digests = [found(), found(SCAN), found(SCAN, other({ status: 'delivered' }))].map((answer) =>
      fingerprintOf(answer),
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
    expect(new Set(answers.map((answer) => fingerprintOf(answer))).size).toBe(answers.length);
  });

  test('changes when a scan that was dated ahead has happened', () => {
    const [before, after] = [new Date('2026-03-07T00:00:00Z'), new Date('2026-03-09T00:00:00Z')];
    expect(fingerprintOf(found(SCAN), before)).not.toBe(fingerprintOf(found(SCAN), after));
    expect(fingerprintOf(found(SCAN), after)).toBe(fingerprintOf(found(SCAN)));
  });

  test('changes when a parcel whose tracking has ended counts as delivered', () => {
    const answer: Found = { ...found(SCAN), isWatchEnded: true };
    expect(fingerprintOf(answer, new Date('2026-03-16T04:05:05Z'))).toBe(fingerprintOf(found(SCAN)));
    expect(fingerprintOf(answer, new Date('2026-03-16T04:05:06Z'))).not.toBe(fingerprintOf(found(SCAN)));
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
    fc.assert(
      fc.property(shuffled, ([scans, again]) => fingerprintOf(found(...scans)) === fingerprintOf(found(...again))),
    );
  });

  test('is not fooled by text that looks like two scans', () => {
    const two = found(other({ description: 'a' }), other({ description: 'b' }));
    const lines = [other({ description: 'a' }), other({ description: 'b' })];
    const one = found(other({ description: lines.map((line) => JSON.stringify(line)).join('\n') }));
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(two));
  });

  test('is short, because every job contains it', () => {
    expect(fingerprintOf(found(...Array.from({ length: 500 }, () => SCAN)))).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  test('of a number that is not known yet is always the same, and differs from that of no scans', () => {
    expect(fingerprintOf({ kind: 'not_found' })).toBe('not-found');
    expect(fingerprintOf(found())).not.toBe('not-found');
  });

  test.each(Object.keys(FAILURES) as Failure[])('of the failure %s exists only if a merchant can fix it', (failure) => {
    const digest = fingerprintOf({ kind: 'failed', failure, message: 'no matter', retryAfterSeconds: 3 });
    expect(digest).toBe(FAILURES[failure] === 'merchant' ? `failed:${failure}` : null);
  });
});
