import { startPgBouncer } from '@pts/testing/servers/pgbouncer';
import { runMainJobOn } from '../support/main-job.ts';

test('behind PgBouncer in transaction mode, with its defaults, the main job is done without an error', () =>
  runMainJobOn({}, 'SBXORDINARY7001', startPgBouncer));
