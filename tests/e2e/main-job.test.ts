import { eventually } from '@pts/testing/eventually';
import { testServer } from '@pts/testing/stores';
import { startCollector } from '../support/collector.ts';
import { newMerchant } from '../support/merchant.ts';
import { realNumbers } from '../support/numbers.ts';
import { startOwnService } from '../support/service.ts';
import { MAIN_JOB_ENV, type MainJob, mainJobStories } from './stories/main-job.ts';

let job: MainJob;
let close: () => Promise<void>;
beforeAll(async () => {
  const collector = await startCollector();
  const own = await startOwnService('main-job', testServer('TEST_REDIS_URL'), { ...collector.env, ...MAIN_JOB_ENV });
  job = { service: own.service, collector };
  close = async () => {
    await own.close({ wereKilled: true });
    await collector.close();
  };
});
afterAll(() => close?.());

test('numbers of every real format reach the state that their provider reports, and cost one unit each', async () => {
  const merchant = await newMerchant(job.service);
  const numbers = realNumbers(40);
  const created = await Promise.all(numbers.map(({ number }) => merchant.register(number, { phone: '5678' })));
  expect(created.map((tracking) => tracking.carrier)).toEqual(numbers.map(({ carrier }) => carrier));
  await eventually(
    async () => {
      const trackings = await merchant.read(numbers.map(({ number }) => number));
      expect(trackings.map(({ status }) => status)).toEqual(numbers.map(() => '已签收'));
    },
    { everyMs: 500 },
  );
  expect(await merchant.quotaUsed()).toBe(numbers.length);
});

describe('the main job with Redis', () => mainJobStories(() => job));
