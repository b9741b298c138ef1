import pg from 'pg';
import { queryOnce, testDatabase } from './database.ts';

const rows = async (url: string, sql: string) => (await queryOnce(url, sql)).rows;

test('every call gives a migrated database that shares nothing with the others', async () => {
  const [one, two] = await Promise.all([testDatabase(), testDatabase()]);
  try {
    await rows(one.url, `INSERT INTO accounts (id, name, plan) VALUES ('a', 'A', 'pro')`);
    expect(await rows(one.url, 'SELECT id FROM accounts')).toEqual([{ id: 'a' }]);
    expect(await rows(two.url, 'SELECT id FROM accounts')).toEqual([]);
    const queue = await rows(two.url, `SELECT 1 FROM information_schema.tables WHERE table_schema = 'bullmq'`);
    expect(queue.length).toBeGreaterThan(0);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('a closed database is dropped, even with a client still connected', async () => {
  const database = await testDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  await database.close();
  await expect(rows(database.url, 'SELECT 1')).rejects.toThrow(/does not exist/);
});
