import { join } from 'node:path';

type Accepted = Record<string, { reason: string; until: string }>;
/** The script is JavaScript. */
const { faultsOf } = (await import(join(import.meta.dirname, '../scripts/audit.mjs'))) as {
  faultsOf(report: unknown, accepted: Accepted, today: string): string[] | null;
};

const URL = 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc';
const advisory = { source: 1, name: 'left-pad', severity: 'high', title: 'Pads too much', url: URL };
const report = { vulnerabilities: { 'left-pad': { via: [advisory] }, padder: { via: ['left-pad'] } } };

test('an advisory is a fault once, with its address', () => {
  expect(faultsOf(report, {}, '2026-12-01')).toEqual([`high: left-pad: Pads too much: ${URL}`]);
});

test('one that is accepted passes until its date', () => {
  const accepted = { 'GHSA-aaaa-bbbb-cccc': { reason: 'it pads only in tests', until: '2026-12-31' } };
  expect(faultsOf(report, accepted, '2026-12-31')).toEqual([]);
  expect(faultsOf(report, accepted, '2027-01-01')).toEqual([expect.stringContaining('it pads only in tests')]);
});

test.each([null, {}, { message: '405 Method Not Allowed', error: {} }])(
  'an answer of the registry without a report does not count as a pass: %j',
  (answer) => {
    expect(faultsOf(answer, {}, '2026-12-01')).toBeNull();
  },
);
