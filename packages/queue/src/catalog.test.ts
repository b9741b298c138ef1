import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import { Ajv } from 'ajv';
import { JOBS } from './catalog.ts';

const isQuery = new Ajv({ allowUnionTypes: true }).compile(JOBS.query.schema);

const CHECK = {
  trackingId: 'trk_1',
  accountId: 'acc_1',
  trackingNumber: 'SBXDELIVERED0042',
  carrier: 'sandbox',
  fingerprint: 'abc',
  finalLook: true,
  hints: { phone: '4821' },
};

test('a job holds its checks', () => {
  expect(isQuery({ claimed: [CHECK] })).toBe(true);
  const more: ClaimedCheck = {
    ...CHECK,
    failing: { failure: 'temporary', sinceMs: 5 },
    pushed: false,
    dueAtMs: 7,
  };
  expect(isQuery({ claimed: [more] })).toBe(true);
});

test.each(Object.keys(CHECK))('a check without %s is no job', (name) => {
  const { [name as keyof typeof CHECK]: _, ...others } = CHECK;
  expect(isQuery({ claimed: [others] })).toBe(false);
});
