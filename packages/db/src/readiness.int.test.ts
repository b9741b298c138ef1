import { textsOf } from '@pts/core/process/readiness-check';
import {
  emptyDatabase,
  MIGRATIONS,
  PATIENT,
  type TestDatabase,
  testDatabase,
  waitingForLocks,
} from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Gate, startGate } from '@pts/testing/network-faults';
import pg from 'pg';
import { openDatabase } from './connection.ts';
import { migrate, TOO_OLD } from './migrate.ts';
import { NEEDED_MIGRATION, openReadiness, type Readiness, type Requirement } from './readiness.ts';

const LACKING = `the database schema lacks migration ${NEEDED_MIGRATION}: run \`npm run migrate\``;
const FIT = { database: 'ok', schema: 'ok' };
/** Generous: only tests of the deadline itself need a short one. */
const DEADLINE_MS = 20_000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function opened(make: () => Promise<TestDatabase>): Promise<TestDatabase> {
  const database = await make();
  closing.push(() => database.close());
  return database;
}

function watch(
  databaseUrl: string,
  deadlineMs = DEADLINE_MS,
  requirements: Record<string, Requirement> = {},
): Omit<Readiness, 'check'> & { check(): Promise<Record<string, string>> } {
  const readiness = openReadiness({ databaseUrl, deadlineMs, requirements });
  closing.push(() => readiness.close());
  return { ...readiness, check: async () => textsOf(await readiness.check()) };
}

async function gateTo(databaseUrl: string): Promise<Gate> {
  const gate = await startGate(databaseUrl, 5432);
  closing.push(() => gate.close());
  return gate;
}

/** A session of its own, until the end of the test. */
async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  closing.push(() => client.end());
  return client;
}

const connectionsOf = `FROM pg_stat_activity WHERE application_name = 'readiness' AND datname = current_database()`;

describe('the schema', () => {
  test('of an empty database is missing, and is accepted once it was migrated, without a restart', async () => {
    const database = await opened(emptyDatabase);
    const readiness = watch(database.url);
    expect(await readiness.check()).toEqual({ database: 'ok', schema: LACKING });
    expect(readiness.schemaVersion()).toBeNull();
    await migrate({ databaseUrl: database.url, migrationsDir: MIGRATIONS });
    expect(await readiness.check()).toEqual(FIT);
    expect(readiness.schemaVersion()).toBe(NEEDED_MIGRATION);
  });

  test.each([
    [
      'an older one lacks a migration',
      `DELETE FROM _prisma_migrations WHERE migration_name = '${NEEDED_MIGRATION}'`,
      LACKING,
    ],
    [
      'one whose migration failed lacks it',
      `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '${NEEDED_MIGRATION}'`,
      LACKING,
    ],
    [
      'one whose migration was rolled back lacks it',
      `UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = '${NEEDED_MIGRATION}'`,
      LACKING,
    ],
    [
      'one of a release before the baseline is refused',
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', '', '20260101000000_init', now())`,
      TOO_OLD,
    ],
    [
      "a later release's fits",
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', '', '29990101000000_later', now())`,
      'ok',
    ],
  ])('%s', async (_promise, change, schema) => {
    const database = await opened(testDatabase);
    await (await session(database.url)).query(change);
    expect(await watch(database.url).check()).toEqual({ database: 'ok', schema });
  });

  test('that cannot be read is distinguished from one that is missing', async () => {
    const database = await opened(testDatabase);
    const requirements = {
      more: (connection: Pick<pg.Client, 'query'>) => connection.query('SELECT * FROM nothing').then(() => null),
    };
    const { schema } = await watch(database.url, DEADLINE_MS, requirements).check();
    expect(schema).toBe('the version of the database schema cannot be read: relation "nothing" does not exist');
  });

  test('once accepted, stays accepted while a migration locks the table that is read', async () => {
    const database = await opened(testDatabase);
    const [other, observer] = [await session(database.url), await session(database.url)];
    const readiness = watch(database.url, 300);
    await eventually(async () => expect(await readiness.check()).toEqual(FIT));
    await other.query('BEGIN');
    await other.query('LOCK TABLE _prisma_migrations IN ACCESS EXCLUSIVE MODE');
    for (let n = 0; n < 5; n++) await eventually(async () => expect(await readiness.check()).toEqual(FIT));
    // Its sessions do not pile up behind the lock either.
    await eventually(async () => {
      const { rows } = await observer.query(`SELECT count(*)::int AS n ${connectionsOf}`);
      expect(rows[0].n).toBeLessThan(2);
    });
    await other.query('ROLLBACK');
  });
});

describe('the database', () => {
  test('is ready while every connection of the pool waits for a locked table', async () => {
    const database = await opened(testDatabase);
    const other = await session(database.url);
    await other.query('BEGIN');
    await other.query('LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE');
    const db = openDatabase({ url: database.url, poolSize: 2, ...PATIENT });
    const waiting = Array.from({ length: 4 }, () => db.account.count().catch(() => 0));
    await eventually(async () => expect(await waitingForLocks(database.url)).toHaveLength(2));
    expect(await watch(database.url).check()).toEqual(FIT);
    await other.query('ROLLBACK');
    await Promise.all(waiting);
    await db.$disconnect();
  });

  test.each(['shut', 'mute'] as const)(
    'that is unavailable (%s) is reported within the deadline, and found again',
    async (state) => {
      const database = await opened(testDatabase);
      const gate = await gateTo(database.url);
      const readiness = watch(gate.url, 500);
      await eventually(async () => expect(await readiness.check()).toEqual(FIT));
      gate.set(state);
      const { port } = new URL(gate.url);
      const reason = state === 'mute' ? 'no answer within 500 ms' : '.+';
      expect(await readiness.check()).toEqual({
        database: expect.stringMatching(
          new RegExp(`^waiting for PostgreSQL at 127\\.0\\.0\\.1:${port} \\(${reason}\\)$`),
        ),
      });
      gate.set('open');
      await eventually(async () => expect(await readiness.check()).toEqual(FIT));
    },
  );

  test('is ready even if it closed the connection since the last check', async () => {
    const database = await opened(testDatabase);
    const gate = await gateTo(database.url);
    const readiness = watch(gate.url);
    const other = await session(database.url);
    for (const break_ of [
      () => gate.set('open'),
      () => other.query(`SELECT pg_terminate_backend(pid) ${connectionsOf}`),
    ]) {
      expect(await readiness.check()).toEqual(FIT);
      await break_();
    }
    expect(await readiness.check()).toEqual(FIT);
  });

  test('is checked over one connection, once for all concurrent callers', async () => {
    const database = await opened(testDatabase);
    const other = await session(database.url);
    let rounds = 0;
    const readiness = watch(database.url, DEADLINE_MS, {
      counted: async () => {
        rounds += 1;
        return null;
      },
    });
    await Promise.all(Array.from({ length: 20 }, () => readiness.check()));
    expect(rounds).toBe(1);
    await readiness.check();
    expect(rounds).toBe(2);
    expect((await other.query(`SELECT count(*)::int AS n ${connectionsOf}`)).rows).toEqual([{ n: 1 }]);
    await readiness.close();
    await eventually(async () => {
      expect((await other.query(`SELECT count(*)::int AS n ${connectionsOf}`)).rows).toEqual([{ n: 0 }]);
    });
  });

  test.each([
    [
      'a wrong password',
      (url: URL) => (url.password = 'hunter2'),
      /^PostgreSQL at 127\.0\.0\.1:\d+ refuses this process \(password authentication failed for user "postgres"\)/,
    ],
    [
      'a database that does not exist',
      (url: URL) => (url.pathname = '/nowhere'),
      /refuses this process \(database "nowhere" does not exist\)/,
    ],
    [
      'a port where nothing listens',
      (url: URL) => (url.port = '1'),
      /^waiting for PostgreSQL at 127\.0\.0\.1:1 \(.*ECONNREFUSED/,
    ],
  ])('with %s, which an operator can fix, it keeps waiting and reports the reason', async (_what, change, reason) => {
    const database = await opened(testDatabase);
    const url = new URL(database.url);
    change(url);
    const checks = await watch(url.href).check();
    expect(checks).toEqual({ database: expect.stringMatching(reason) });
    expect(JSON.stringify(checks)).not.toContain('hunter2');
  });
});
