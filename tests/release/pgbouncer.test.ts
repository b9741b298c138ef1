import { testDatabase } from '@pts/testing/database';
import { startReceiver } from '@pts/testing/receiver';
import { startPgBouncer } from '@pts/testing/servers/pgbouncer';
import { faultsIn } from '../support/log-faults.ts';
import { runMainJob } from '../support/main-job.ts';
import { startProcesses } from '../support/processes.ts';

test('behind PgBouncer in transaction mode, with its defaults, the main job is done without an error', async () => {
  const database = await testDatabase();
  const bouncer = await startPgBouncer(database.url);
  const receiver = await startReceiver();
  const service = await startProcesses({ databaseUrl: bouncer.url, directUrl: database.url });
  try {
    await runMainJob(service, receiver, 'SBXORDINARY7001');
    expect(faultsIn(service.output())).toEqual([]);
  } finally {
    await service.stop();
    await receiver.close();
    await bouncer.stop();
    await database.close();
  }
}, 120_000);
