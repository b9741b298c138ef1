import { emptyDatabase, queryOnce, type TestDatabase } from '@pts/testing/database';
import { admin } from '../testing/run.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await emptyDatabase();
});
afterEach(() => database.close());

const migrate = (argv: string[] = [], env: NodeJS.ProcessEnv = {}) =>
  admin(['migrate', ...argv], { DATABASE_URL: database.url, ...env });

async function schemas(): Promise<string[]> {
  const { rows } = await queryOnce<{ name: string }>(
    database.url,
    `SELECT DISTINCT table_schema AS name FROM information_schema.tables WHERE table_schema IN ('public', 'bullmq') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

test("an empty database gets the service's tables and the queue's, once", async () => {
  const { code, stdout, stderr } = await migrate();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^Applied \S+\n.*The database is up to date\.\nThe queue schema in the database is up to date\.\n$/s,
  );
  expect(await schemas()).toEqual(['bullmq', 'public']);
  expect((await migrate()).stdout).toMatch(/^The database was already up to date\./);
  expect((await admin(['accounts', 'list'], { DATABASE_URL: database.url })).stdout).toBe('There are no accounts.\n');
});

test('if the queue is in Redis, Postgres gets no queue tables', async () => {
  const { code, stdout } = await migrate(['--json'], { REDIS_URL: 'redis://127.0.0.1:1' });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ applied: expect.arrayContaining([expect.any(String)]), queue: 'redis' });
  expect(await schemas()).toEqual(['public']);
});
