import type { ClaimedCheck } from '@pts/core/tracking/check';
import { decodeQuery, encodeQuery } from './catalog.ts';

const check: ClaimedCheck = {
  trackingId: 'trk_1',
  trackingNumber: 'SBXDELIVERED0042',
  carrier: 'sandbox',
  fingerprint: 'abc',
  finalCheck: true,
  carrierInputs: { phone: '4821' },
  failing: { failure: 'temporary', sinceMs: 5 },
  pushed: false,
  isUndecided: true,
  dueAtMs: 7,
};
const stored = (job: Parameters<typeof encodeQuery>[0]) => JSON.parse(JSON.stringify(encodeQuery(job)));

test('a check is the same after its job', () => {
  expect(decodeQuery(stored({ claimed: [check] }))).toEqual({ claimed: [check] });
});

test('a check of 0.2.0, which has fewer fields, can be read', () => {
  const { failing: _f, pushed: _p, isUndecided: _u, dueAtMs: _d, ...known } = check;
  const { finalCheck, carrierInputs, ...others } = known;
  const job = { claimed: [{ ...others, finalLook: finalCheck, hints: carrierInputs }] };
  expect(decodeQuery(job)).toEqual({ claimed: [known] });
});

test('a job stores a check under the names that 0.2.0 reads', () => {
  expect(stored({ claimed: [check] }).claimed[0]).toMatchObject({ finalLook: true, hints: { phone: '4821' } });
});
