import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@pts/testing/eventually';
import pg from 'pg';
import { removePostgres, startPostgres } from './postgres.ts';

let dir: string;

beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'pts-embedded-'));
  chmodSync(parent, 0o755); // as root, the server runs as another user
  dir = join(parent, 'postgres');
});

afterEach(async () => {
  await removePostgres(dir, () => {});
  rmSync(join(dir, '..'), { recursive: true });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

const pidOf = () => Number(readFileSync(join(realpathSync(dir), 'data/postmaster.pid'), 'utf8').split('\n')[0]);

test('a persistent server keeps its data and its password, and its cluster is created once', async () => {
  const said: string[] = [];
  const first = await startPostgres({ dir, persistent: true, log: (line) => said.push(line) });
  await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
  await first.stop();
  const second = await startPostgres({ dir, persistent: true, port: first.port, log: (line) => said.push(line) });
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  await second.stop();
  expect(said.filter((line) => line.includes('creating'))).toHaveLength(1);
});

test('a killed server restarts with its data', async () => {
  const first = await startPostgres({ dir, persistent: true });
  await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
  process.kill(pidOf(), 'SIGKILL');
  await first.exited;
  const second = await startPostgres({ dir, persistent: true });
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
  await second.stop();
});

test('a killed server restarts, however late its children end', async () => {
  const first = await startPostgres({ dir, persistent: true });
  const child = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'`;
  const [{ pid }] = (await query(first.url, child)) as [{ pid: number }];
  process.kill(pid, 'SIGSTOP');
  process.kill(pidOf(), 'SIGKILL');
  await first.exited;
  const second = startPostgres({ dir, persistent: true });
  const isRefused = () => readFileSync(join(realpathSync(dir), 'log'), 'utf8').includes('pre-existing shared memory');
  const manyAttempts = async () => {
    for (let attempt = 0; attempt < 7; attempt++) {
      await eventually(() => expect(isRefused()).toBe(true), { everyMs: 5 });
      // The next one begins a log of its own.
      await eventually(() => expect(isRefused()).toBe(false), { everyMs: 5 });
    }
  };
  try {
    await Promise.race([second, manyAttempts()]);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await (await second).stop();
});

test('a server that still runs on the data is stopped first', async () => {
  const said: string[] = [];
  const orphan = await startPostgres({ dir, persistent: true });
  const second = await startPostgres({ dir, persistent: true, log: (line) => said.push(line) });
  await orphan.exited;
  expect(said).toEqual([expect.stringContaining('that an earlier run left behind')]);
  await second.stop();
});

test('a requested port that is in use is reported as such', async () => {
  const first = await startPostgres({ persistent: false });
  try {
    await expect(startPostgres({ dir, persistent: true, port: first.port })).rejects.toThrow(/could not bind|in use/);
  } finally {
    await first.stop();
  }
});

test('a server without a folder leaves nothing behind', async () => {
  const server = await startPostgres({ persistent: false });
  const [{ data_directory }] = (await query(server.url, 'SHOW data_directory')) as [{ data_directory: string }];
  expect(existsSync(data_directory)).toBe(true);
  await server.stop();
  expect(existsSync(join(data_directory, '..'))).toBe(false);
});

// Only root starts its server as someone else.
const asRoot: typeof test | undefined = process.getuid?.() === 0 ? test : undefined;

asRoot?.(
  'if the server cannot access the folder, its files, including the data, move elsewhere, and are removed when abandoned',
  async () => {
    const first = await startPostgres({ dir, persistent: true });
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n');
    await first.stop();
    chmodSync(join(dir, '..'), 0o700);
    const second = await startPostgres({ dir, persistent: true });
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await second.stop();
    const moved = realpathSync(dir);
    expect(moved).not.toBe(dir);

    rmSync(dir); // like a user who deletes the installation
    const other = await startPostgres({ dir: `${dir}-2`, persistent: true });
    await other.stop();
    expect(existsSync(moved)).toBe(false);
    await removePostgres(`${dir}-2`, () => {});
  },
);
