import { execFileSync } from 'node:child_process';
import { testDatabase } from '@pts/testing/database';
import { startReceiver } from '@pts/testing/receiver';
import { runMainJob } from '../support/main-job.ts';
import { nodeProgram, otherVersion } from '../support/other-node.ts';
import { startProcesses } from '../support/processes.ts';

const version = otherVersion();

test(`the services do the main job on Node ${version}, too`, async () => {
  const node = await nodeProgram(version);
  expect(execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()).toBe(`v${version}`);
  const database = await testDatabase();
  const receiver = await startReceiver();
  const service = await startProcesses({ node, databaseUrl: database.url, directUrl: database.url });
  try {
    await runMainJob(service, receiver, 'SBXORDINARY9002');
    expect(service.output()).not.toMatch(/"level":"(error|fatal)"/);
  } finally {
    await service.stop();
    await receiver.close();
    await database.close();
  }
}, 240_000);
