import { PATIENT, queryOnce, type TestDatabase, testDatabase } from '@pts/testing/database';
import { freshNumber, newAccount, newTrackings } from '@pts/testing/factories';
import { startPgBouncer, type TestPgBouncer } from '@pts/testing/servers/pgbouncer';
import { type Db, openDatabase, type PreparedStatements } from './connection.ts';
import { isDatabaseUnreachable } from './errors.ts';
import { DeadlineError } from './pool.ts';
import { findByNumbers } from './trackings/records.ts';
import { storeRegistrations } from './trackings/register.ts';

const NOW = new Date('2031-04-05T06:00:00Z');

let database: TestDatabase;
let bouncer: TestPgBouncer;
beforeAll(async () => {
  database = await testDatabase();
  bouncer = await startPgBouncer(database.url, { settings: { default_pool_size: 4 } });
}, 60_000);
afterAll(async () => {
  await bouncer.stop();
  await database.close();
});

async function withDatabase<T>(
  url: string,
  preparedStatements: PreparedStatements,
  work: (db: Db) => Promise<T>,
  poolSize = 1,
): Promise<T> {
  const db = openDatabase({ url, poolSize, preparedStatements, ...PATIENT });
  try {
    return await work(db);
  } finally {
    await db.$disconnect();
  }
}

/** The statements that the one connection has prepared. */
const prepared = async (db: Db) => {
  const found = await db.$queryRaw<{ statement: string }[]>`
    SELECT statement FROM pg_prepared_statements WHERE name LIKE 'pts%'`;
  return found.map(({ statement }) => statement);
};

test.each([
  ['auto', 1],
  ['on', 1],
  ['off', 0],
] as const)(
  'on a connection of its own, DATABASE_PREPARED_STATEMENTS=%s prepares a repeated statement %i times',
  async (mode, count) => {
    await withDatabase(database.url, mode, async (db) => {
      for (let i = 0; i < 3; i++) expect(await findByNumbers(db, 'nobody', [`YT${i}`])).toEqual([]);
      expect(await prepared(db)).toHaveLength(count);
    });
  },
);

describe.each(['auto', 'on', 'off'] as const)('behind a PgBouncer without prepared statements, with %s', (mode) => {
  test('every statement takes effect once, in many sessions at once', async () => {
    const work = async (db: Db) => {
      const accountId = await newAccount(db, NOW);
      const numbers = Array.from({ length: 20 }, freshNumber);
      const quotaLimit = numbers.length;
      const registrations = numbers.map((trackingNumber) => ({
        trackingNumber,
        carrier: 'yto',
        provider: 'p',
        detected: true,
      }));
      const results = await Promise.all(
        registrations.map((each) => storeRegistrations(db, { accountId, quotaLimit, registrations: [each], now: NOW })),
      );
      expect(results.map(({ kind }) => kind)).toEqual(numbers.map(() => 'registered'));
      const found = await Promise.all(numbers.map((number) => findByNumbers(db, accountId, [number])));
      expect(found.flat().map(({ trackingNumber }) => trackingNumber)).toEqual(numbers);
    };
    await withDatabase(bouncer.url, mode, work, 8);
  });

  test('every transaction takes effect once', async () => {
    const table = `public.counted_${mode}`;
    await queryOnce(database.url, `CREATE TABLE ${table} (n int)`);
    const all = Array.from({ length: 40 }, (_, n) => n);
    const work = async (db: Db) => {
      const insertTwice = (n: number) =>
        db.$hotTransaction(async (tx) => {
          for (let i = 0; i < 2; i++) await tx.$hot(`INSERT INTO ${table} VALUES ($1::int)`, [n]);
        });
      await Promise.all(all.map(insertTwice));
      const found = await db.$hot(`SELECT n FROM ${table} ORDER BY n`, []);
      expect(found.map(({ n }) => n)).toEqual(all.flatMap((n) => [n, n]));
    };
    await withDatabase(bouncer.url, mode, work, 8);
  });
});

test('behind a pooler in transaction mode, auto prepares nothing', async () => {
  // Its sessions have no statements that another test has prepared.
  const fresh = await startPgBouncer(database.url);
  try {
    await withDatabase(fresh.url, 'auto', async (db) => {
      await findByNumbers(db, 'nobody', ['YT1']);
      expect(await prepared(db)).toEqual([]);
    });
  } finally {
    await fresh.stop();
  }
});

test('a statement whose plan became outdated by a migration succeeds', async () => {
  await withDatabase(database.url, 'on', async (db) => {
    await queryOnce(database.url, `CREATE TABLE outdated AS SELECT 'a'::varchar(9) AS name`);
    const read = () => db.$hot('SELECT name FROM public.outdated', []);
    expect([await read(), await read()]).toEqual([[{ name: 'a' }], [{ name: 'a' }]]);
    await queryOnce(database.url, 'ALTER TABLE outdated ALTER COLUMN name TYPE text');
    expect([await read(), await read()]).toEqual([[{ name: 'a' }], [{ name: 'a' }]]);
    expect(await prepared(db)).toHaveLength(1);
  });
});

test('values arrive as Prisma would give them', async () => {
  await withDatabase(database.url, 'auto', async (db) => {
    const sql = `SELECT 9007199254740993::bigint AS big, 7::smallint AS small, $1::timestamptz AS at, $2::jsonb AS json, NULL::text AS none`;
    const [row] = await db.$hot(sql, [NOW.toISOString(), JSON.stringify({ a: [1] })]);
    expect(row).toEqual({ big: 9007199254740993n, small: 7, at: NOW, json: { a: [1] }, none: null });
  });
});

const pid = async (db: Db) => (await db.$hot('SELECT pg_backend_pid() AS pid', []))[0]?.pid;

test('a refused statement does not cost its connection', async () => {
  await withDatabase(database.url, 'auto', async (db) => {
    const accountId = await newAccount(db, NOW);
    const before = await pid(db);
    const registrations = [{ trackingNumber: freshNumber(), carrier: 'yto', provider: 'p', detected: true }];
    const result = await storeRegistrations(db, { accountId, quotaLimit: 0, registrations, now: NOW });
    expect(result.kind).toBe('quota_exhausted');
    expect(await pid(db)).toBe(before);
  });
});

test('a transaction that fails stores nothing; if the server refused a value, it keeps its connection', async () => {
  await withDatabase(database.url, 'auto', async (db) => {
    await queryOnce(database.url, 'CREATE TABLE kept (n int PRIMARY KEY)');
    const before = await pid(db);
    const insert = (...numbers: number[]) =>
      db.$hotTransaction(async (tx) => {
        for (const n of numbers) await tx.$hot('INSERT INTO public.kept VALUES ($1::int)', [n]);
        if (numbers.includes(3)) throw new Error('three');
      });
    await expect(insert(1, 1)).rejects.toMatchObject({ code: '23505' });
    expect(await pid(db)).toBe(before);
    await expect(insert(2, 3)).rejects.toThrow('three');
    await insert(4, 5);
    const found = await db.$hot('SELECT n FROM public.kept ORDER BY n', []);
    expect(found.map(({ n }) => n)).toEqual([4, 5]);
  });
});

test('a late statement fails at its deadline, and one on a broken connection like an unavailable database; both connections are replaced', async () => {
  await withDatabase(database.url, 'auto', async (db) => {
    await pid(db); // so that the deadline is spent on the statement
    const sleep = (on = db) => on.$hot('SELECT pg_sleep(60)', []);
    await expect(sleep(db.$within(100))).rejects.toBeInstanceOf(DeadlineError);
    const before = await pid(db);
    const broken = sleep().catch((error: unknown) => error);
    await queryOnce(database.url, `SELECT pg_terminate_backend(${before})`);
    expect(isDatabaseUnreachable(await broken)).toBe(true);
    const accountId = await newAccount(db, NOW);
    expect(await newTrackings(db, accountId, [freshNumber()], NOW)).toHaveLength(1);
  });
});
