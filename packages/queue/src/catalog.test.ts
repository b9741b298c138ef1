import { Ajv } from 'ajv';
import { JOBS, type JobCheck } from './catalog.ts';

const isQuery = new Ajv({ allowUnionTypes: true }).compile(JOBS.query.schema);

/** As 0.2.0 stores it in a job: its workers and ours may share a queue. */
const OF_0_2_0 = {
  trackingId: 'trk_1',
  trackingNumber: 'SBXDELIVERED0042',
  carrier: 'sandbox',
  fingerprint: 'abc',
  finalLook: true,
  hints: { phone: '4821' },
};

test('a job holds its checks under the names of 0.2.0', () => {
  const check: JobCheck = OF_0_2_0;
  expect(isQuery({ claimed: [check] })).toBe(true);
  const more: JobCheck = {
    ...check,
    accountId: 'acc_1',
    failing: { failure: 'temporary', sinceMs: 5 },
    pushed: false,
    dueAtMs: 7,
  };
  expect(isQuery({ claimed: [more] })).toBe(true);
});

test.each(Object.keys(OF_0_2_0))('a check without %s is no job', (name) => {
  const { [name as keyof typeof OF_0_2_0]: _, ...others } = OF_0_2_0;
  expect(isQuery({ claimed: [others] })).toBe(false);
});
