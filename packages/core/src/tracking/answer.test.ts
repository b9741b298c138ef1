import fc from 'fast-check';
import { type Answer, concernsProvider, FAILURES, type Failure, fingerprint } from './answer.ts';
import type { Scan } from './scan.ts';

const SCAN: Scan = {
  time: '2026-03-09T04:05:06Z',
  timeRaw: '2026-03-09 12:05:06',
  zoneSource: 'default',
  location: '深圳',
  description: '快件已发出',
  status: 'in_transit',
};
const found = (...scans: Scan[]): Answer => ({ kind: 'found', scans });
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
  ])('tells apart what a merchant sees: %j', (change) => {
    expect(fingerprint(found(other(change)))).not.toBe(fingerprint(found(SCAN)));
  });

  test.each<Partial<Scan>>([{ timeRaw: '09.03.2026 12:05' }, { zoneSource: 'carrier' }])(
    'passes over what nobody sees: %j',
    (change) => {
      expect(fingerprint(found(other(change)))).toBe(fingerprint(found(SCAN)));
    },
  );

  test('changes with one scan more, one scan less, and none at all', () => {
    const digests = [found(), found(SCAN), found(SCAN, other({ status: 'delivered' }))].map(fingerprint);
    expect(new Set(digests).size).toBe(3);
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

  test('is short, for it travels in every job', () => {
    expect(fingerprint(found(...Array.from({ length: 500 }, () => SCAN)))).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  test('of a number that is not known yet is the same every time, and that of no scans another', () => {
    expect(fingerprint({ kind: 'not_found' })).toBe('not-found');
    expect(fingerprint(found())).not.toBe('not-found');
  });

  test.each(Object.keys(FAILURES) as Failure[])(
    'of the failure %s says something only if a merchant can mend it',
    (failure) => {
      const digest = fingerprint({ kind: 'failed', failure, message: 'no matter', retryAfterSeconds: 3 });
      expect(digest).toBe(FAILURES[failure] === 'merchant' ? `failed:${failure}` : null);
    },
  );
});
