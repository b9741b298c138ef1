import { testDatabase } from '@pts/testing/database';
import { startReceiver } from '@pts/testing/receiver';
import { runMainJob } from '../support/main-job.ts';
import { buildPreviousRelease } from '../support/previous-release.ts';
import { startProcesses } from '../support/processes.ts';

test("the previous release's processes do the main job on today's schema, as they must during a rollout", async () => {
  const root = await buildPreviousRelease();
  const database = await testDatabase();
  const receiver = await startReceiver();
  const service = await startProcesses({ root, databaseUrl: database.url, directUrl: database.url });
  try {
    await runMainJob(service, receiver, 'SBXORDINARY9001');
    expect(service.output()).not.toMatch(/"level":"(error|fatal)"/);
  } finally {
    await service.stop();
    await receiver.close();
    await database.close();
  }
}, 240_000);
