import { randomBytes } from 'node:crypto';
import { DELIVER_QUEUE, queryQueue } from '@pts/queue/catalog';
import { openQueue } from '@pts/queue/connection';
import { createCanary } from '@pts/queue/health/canary';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { startReceiver } from '@pts/testing/receiver';
import { testServer } from '@pts/testing/servers/servers-env';
import { faultsIn } from '../support/log-faults.ts';
import { runMainJob, runMainJobOn } from '../support/main-job.ts';
import { startProcesses } from '../support/processes.ts';
import { buildPreviousRelease } from '../support/releases/previous-release.ts';

test("the previous release's processes do the main job on today's schema, as they must during a rollout", async () => {
  const root = await buildPreviousRelease();
  await runMainJobOn({ root }, 'SBXORDINARY9001');
}, 240_000);

test("to the previous release's workers, today's canaries are wake-ups for which nothing is due", async () => {
  const root = await buildPreviousRelease();
  const database = await testDatabase();
  const receiver = await startReceiver();
  const prefix = `{canaries-${randomBytes(6).toString('hex')}}`;
  const service = await startProcesses({
    root,
    databaseUrl: database.url,
    directUrl: database.url,
    env: { QUEUE_PREFIX: prefix },
  });
  const redisUrl = testServer('TEST_REDIS_URL');
  const connection = await openQueue({ redisUrl, databaseUrl: database.url, prefix, onError: () => {} });
  let looks = 0;
  const worker = { answers: () => ++looks, onCanary: () => {} };
  try {
    for (const queue of [queryQueue('sandbox'), DELIVER_QUEUE]) {
      const canary = createCanary({ connection, queue, worker, now: () => new Date() });
      await eventually(async () => expect(await canary.round()).toBe('healthy'));
      await canary.close();
    }
    await runMainJob(service, receiver, 'SBXORDINARY9002');
    expect(faultsIn(service.output())).toEqual([]);
  } finally {
    await connection.close();
    await service.stop();
    await receiver.close();
    await database.close();
  }
}, 240_000);
