import type { IQueueBackend } from 'bullmq';
import { paced } from './pace.ts';

test('a claim that failed is repeated after its pause, without waiting for the next job first', async () => {
  const calls: string[] = [];
  let isAway = true;
  const backend = {
    moveToActive: async () => {
      calls.push('claim');
      if (isAway) throw new Error('away');
      return [null, null, 0, 0];
    },
    waitForJob: async () => {
      calls.push('wait');
      return null;
    },
  } as unknown as IQueueBackend;
  const trouble = { error: () => {}, worked: () => {} };
  const worker = paced(backend, { blockSeconds: () => 1, trouble, claims: { find: async () => [], breaks: () => 0 } });
  await worker.waitForJob(1);
  await expect(worker.moveToActive('token')).rejects.toThrow('away');
  await worker.waitForJob(1);
  isAway = false;
  await worker.moveToActive('token');
  await worker.waitForJob(1);
  expect(calls).toEqual(['wait', 'claim', 'claim', 'wait']);
});
