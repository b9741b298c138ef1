import { PATIENT, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Relay, startRelay } from '@pts/testing/network-faults';
import { createSharedPing, type Db, openDatabase } from './connection.ts';
import { isDatabaseUnreachable, isPassing } from './errors.ts';

let database: Awaited<ReturnType<typeof testDatabase>>;
let relay: Relay;
let db: Db;
beforeEach(async () => {
  database = await testDatabase();
  relay = await startRelay(database.url);
  db = openDatabase({ url: relay.url, poolSize: 3, ...PATIENT });
});
afterEach(async () => {
  await db.$disconnect();
  await relay.close();
  await database.close();
});

/** Both ways to the database. */
const WAYS: [way: string, ask: (sql: string) => Promise<unknown>][] = [
  ['Prisma', (sql) => db.$queryRawUnsafe(sql)],
  ["Prisma's own connections", (sql) => db.$connections.query(sql)],
];
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );

/** Locks one row, waits until the other is locked, too, and then tries to lock that. */
const crossing = (held: number, wanted: number) => `DO $$ BEGIN
  UPDATE pair SET n = n + 1 WHERE id = ${held};
  PERFORM pg_advisory_xact_lock(${held});
  WHILE (SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
         WHERE l.locktype = 'advisory' AND d.datname = current_database()) < 2 LOOP PERFORM pg_sleep(0.01); END LOOP;
  UPDATE pair SET n = n + 1 WHERE id = ${wanted};
END $$`;

describe.each(WAYS)('over %s', (_way, ask) => {
  test('an unreachable database is distinguished from a wrong statement, and is used again once it is back', async () => {
    await ask('SELECT 1');
    await relay.cut();
    expect(isDatabaseUnreachable(await failureOf(ask('SELECT 1')))).toBe(true);
    await relay.restore();
    await eventually(() => ask('SELECT 1'));
    const wrong = await failureOf(ask('SELECT nothing FROM nowhere'));
    expect([isDatabaseUnreachable(wrong), isPassing(wrong)]).toEqual([false, false]);
  });

  test('a connection that the server ends is out of reach, too', async () => {
    const ended = failureOf(ask('SELECT pg_sleep(60)'));
    await eventually(async () => {
      const other = openDatabase({ url: database.url, poolSize: 1, ...PATIENT });
      const found = await other.$queryRaw<unknown[]>`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND query = 'SELECT pg_sleep(60)' AND state = 'active'`;
      await other.$disconnect();
      expect(found).toHaveLength(1);
    });
    expect(isDatabaseUnreachable(await ended)).toBe(true);
  });

  test.each(['55P03', '25P04'])(
    'a statement that a limit of the role ended (%s) means a busy database',
    async (code) => {
      const error = await failureOf(ask(`DO $$ BEGIN RAISE EXCEPTION 'over' USING ERRCODE = '${code}'; END $$`));
      expect(isDatabaseUnreachable(error)).toBe(true);
    },
  );

  test('what the operating system says about a full disk means an unreachable database; another internal error does not', async () => {
    const raise = (text: string) =>
      failureOf(ask(`DO $$ BEGIN RAISE EXCEPTION '${text}' USING ERRCODE = 'XX000'; END $$`));
    const full = await raise('could not write to file "base/1/pg_internal.init.7": No space left on device');
    expect(isDatabaseUnreachable(full)).toBe(true);
    expect(isDatabaseUnreachable(await raise('unrecognized node type: 0'))).toBe(false);
  });

  test('of two statements in a deadlock, the one that is ended may be retried', async () => {
    await ask('CREATE TABLE pair (id int PRIMARY KEY, n int)');
    await ask('INSERT INTO pair VALUES (1, 0), (2, 0)');
    const both = [failureOf(ask(crossing(1, 2))), failureOf(ask(crossing(2, 1)))];
    const ended = (await Promise.all(both)).filter(isPassing);
    expect(ended).toHaveLength(1);
    expect(isDatabaseUnreachable(ended[0])).toBe(false);
  });
});

test('disconnecting ends every connection, also of a client that has sent nothing through Prisma', async () => {
  const other = openDatabase({ url: database.url, poolSize: 2, ...PATIENT });
  await other.$connections.query("SET application_name = 'leaving'");
  const connected = async () =>
    (await db.$queryRaw<unknown[]>`SELECT 1 FROM pg_stat_activity WHERE application_name = 'leaving'`).length;
  expect(await connected()).toBe(1);
  await other.$disconnect();
  await eventually(async () => expect(await connected()).toBe(0));
  await other.$disconnect();
});

test('however many ask at the same time whether the database answers, one connection asks; each hears if it does not', async () => {
  const ping = createSharedPing(db);
  await Promise.all(Array.from({ length: 20 }, ping));
  expect(db.$pool.totalCount).toBe(1);
  await relay.cut();
  const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(ping())));
  expect(failures.map(isDatabaseUnreachable)).toEqual(failures.map(() => true));
  await relay.restore();
  await eventually(ping);
});
