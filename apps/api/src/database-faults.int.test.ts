import { ERRORS } from '@pts/core/errors';
import { type Db, openDatabase } from '@pts/db/connection';
import { startPostgres } from '@pts/embedded/postgres';
import { PATIENT, queryOnce, type TestDatabase, testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Link, type Relay, startLink, startRelay } from '@pts/testing/network-faults';
import { startPgBouncer, type TestPgBouncer } from '@pts/testing/servers/pgbouncer';
import { toApiError } from './http/errors.ts';
import { startTestApi } from './testing/test-api.ts';

/** The API's response to a request whose work fails. */
async function statusOf(work: Promise<unknown>): Promise<number | string> {
  return work.then(
    () => 'it did not fail',
    (error: unknown) => ERRORS[toApiError(error).error].http,
  );
}

/** Every way to send a statement. `sql` is the statement; a model's statements cannot be chosen. */
const WAYS: [way: string, ask: (db: Db, sql: string) => Promise<unknown>][] = [
  ['a raw query', (db, sql) => db.$queryRawUnsafe(sql)],
  ['a raw command', (db, sql) => db.$executeRawUnsafe(sql)],
  ["Prisma's own connections", (db, sql) => db.$connections.query(sql)],
  ['a transaction', (db, sql) => db.$transaction(async (tx) => tx.$queryRawUnsafe(sql))],
  ['a batch', (db, sql) => db.$transaction([db.$queryRawUnsafe(sql)])],
  ['a hot statement', (db, sql) => db.$hot(sql, [])],
  ['a hot transaction', (db, sql) => db.$hotTransaction((tx) => tx.$hot(sql, []))],
];
const MODEL: (typeof WAYS)[number] = ['a model', (db) => db.account.count()];
const EVERYTHING = [...WAYS, MODEL];
const ALL_503 = EVERYTHING.map(() => 503);
/** Longer than any test waits for it. */
const SLEEP = 'SELECT pg_sleep(600)::text';

let database: TestDatabase;
const closers: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  database = await testDatabase();
  closers.push(() => database.close());
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Without `PATIENT`, a late look at a statement would find that its own deadline has ended it. */
function open(url: string, deadlines: Partial<typeof PATIENT> = PATIENT): Db {
  const db = openDatabase({ url, poolSize: 2, ...deadlines });
  closers.push(() => db.$disconnect());
  return db;
}

describe.each(WAYS)('%s is answered 503', (_way, ask) => {
  test.each([
    ['its session is ended', 'pg_terminate_backend(pid)'],
    ['its statement is cancelled', 'pg_cancel_backend(pid)'],
  ])('when %s', async (_fault, sql) => {
    const status = statusOf(ask(open(database.url), SLEEP));
    await toSessions(database.url, sql, SLEEP);
    expect(await status).toBe(503);
  });

  test('when it is late', async () => {
    expect(await statusOf(ask(open(database.url).$within(200), SLEEP))).toBe(503);
  });

  test('when the connection is cut within it', async () => {
    const relay = await relayTo(database.url);
    const db = open(relay.url);
    const status = statusOf(ask(db, SLEEP));
    await toSessions(database.url, 'pid', SLEEP);
    await relay.cut();
    expect(await status).toBe(503);
  });

  test('when PgBouncer loses its session, or is killed', async () => {
    const bouncer = await bouncerTo(database.url);
    const db = open(bouncer.url);
    const lost = statusOf(ask(db, SLEEP));
    await toSessions(database.url, 'pg_terminate_backend(pid)', SLEEP);
    expect(await lost).toBe(503);
    const stopped = statusOf(ask(db, SLEEP));
    await toSessions(database.url, 'pid', SLEEP);
    bouncer.kill();
    expect(await stopped).toBe(503);
  });
});

/** Each kind of transaction. `work` gets a function that sends a statement in it. */
type InTransaction = (db: Db, work: (send: (sql: string) => Promise<unknown>) => Promise<void>) => Promise<void>;
const TRANSACTIONS: [kind: string, begin: InTransaction][] = [
  ['a transaction', (db, work) => db.$transaction((tx) => work((sql) => tx.$queryRawUnsafe(sql)))],
  ['a hot transaction', (db, work) => db.$hotTransaction((tx) => work((sql) => tx.$hot(sql, [])))],
];

describe.each(TRANSACTIONS)('%s is answered 503', (_kind, begin) => {
  describe.each(['by the network', 'by the server'])('when it is cut %s', (by) => {
    test.each(['before a statement', 'within a statement', 'before its commit'])('%s', async (where) => {
      const relay = await relayTo(database.url);
      const cut = () =>
        by === 'by the network' ? relay.cut() : queryOnce(database.url, `SELECT pg_terminate_backend(pid) ${OTHERS}`);
      const work = begin(open(relay.url), async (send) => {
        await send('SELECT 1 AS one');
        if (where === 'within a statement')
          await Promise.all([send(SLEEP), toSessions(database.url, 'pid', SLEEP).then(() => void cut())]);
        await cut();
        if (where === 'before a statement') await send('SELECT 1 AS one');
      });
      expect(await statusOf(work)).toBe(503);
    });
  });
});

describe('everything is answered 503', () => {
  test.each([
    ['fast', 'SIGINT'],
    ['at once', 'SIGQUIT'],
  ] as const)('when the server is stopped %s', async (_how, signal) => {
    const server = await startPostgres({ persistent: false });
    closers.push(() => server.stop());
    const pid = await postmasterOf(server.url);
    const dbs = WAYS.map(() => open(server.url));
    const within = WAYS.map(([, ask], n) => statusOf(ask(dbs[n] as Db, SLEEP)));
    await eventually(async () => {
      const { rowCount } = await queryOnce(server.url, `SELECT 1 ${OTHERS} AND query LIKE '%pg_sleep%'`);
      expect(rowCount).toBe(WAYS.length);
    });
    process.kill(pid, signal);
    expect(await Promise.all(within)).toEqual(WAYS.map(() => 503));
    expect(await Promise.all(WAYS.map(([, ask], n) => statusOf(ask(dbs[n] as Db, SLEEP))))).toEqual(
      WAYS.map(() => 503),
    );
  });

  test('while the server waits for its last session to end', async () => {
    const server = await startPostgres({ persistent: false });
    closers.push(() => server.stop());
    await open(server.url).$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      process.kill(await postmasterOf(server.url), 'SIGTERM');
      await eventually(async () => expect(await everything(server.url)).toEqual(ALL_503));
    });
  });

  test('when the connection was cut before it, and while nothing listens', async () => {
    const relay = await relayTo(database.url);
    const dbs = await Promise.all(
      EVERYTHING.map(async () => {
        const db = open(relay.url);
        await db.$queryRaw`SELECT 1`;
        return db;
      }),
    );
    await relay.cut();
    for (const _time of ['the first', 'the second']) {
      const statuses = EVERYTHING.map(([, ask], n) => statusOf(ask(dbs[n] as Db, 'SELECT 1')));
      expect(await Promise.all(statuses)).toEqual(ALL_503);
    }
  });

  test('when a new connection gets no answer, and while none is free', async () => {
    const link = await linkTo(database.url);
    link.mute();
    expect(await Promise.all([everything(link.url), everything(link.url)])).toEqual([ALL_503, ALL_503]);
  });

  test('when there are too many connections', async () => {
    expect(await everything(await withRole(database.url, 'CONNECTION LIMIT 0'))).toEqual(ALL_503);
  });

  test.each([
    ['no more clients are allowed', { max_client_conn: 1 }],
    ['no session is free in time', { default_pool_size: 1, query_wait_timeout: 1 }],
  ])('when PgBouncer says that %s', async (_fault, settings) => {
    const bouncer = await bouncerTo(database.url, settings);
    await open(bouncer.url).$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      expect(await everything(bouncer.url)).toEqual(ALL_503);
    });
  });

  test('when PgBouncer cannot reach the server', async () => {
    const relay = await relayTo(database.url);
    const bouncer = await bouncerTo(relay.url, { server_login_retry: 1, client_login_timeout: 2 });
    await relay.cut();
    for (const _time of ['the first', 'the second']) expect(await everything(bouncer.url)).toEqual(ALL_503);
  });

  test('over HTTP, too, with the time to retry', async () => {
    const relay = await relayTo(database.url);
    const api = await startTestApi({ databaseUrl: relay.url });
    closers.push(() => api.close());
    const { key } = await api.account();
    expect((await api.call('GET', '/account', { key })).status).toBe(200);
    await relay.cut();
    const { status, headers, body } = await api.call('GET', '/account', { key });
    expect([status, headers.get('Retry-After'), body.code, body.meta]).toEqual([503, '5', 503, 503]);
    expect(body.message).not.toMatch(/took too long/);
  });
});

/** The results of all ways, each with its own connections, and within the service's own deadlines. */
function everything(url: string): Promise<(number | string)[]> {
  return Promise.all(EVERYTHING.map(([, ask]) => statusOf(ask(open(url, {}), 'SELECT 1'))));
}

/** Every session but the one that asks. */
const OTHERS = `FROM pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database()
  AND pid <> pg_backend_pid()`;

/** Does something to the sessions that run a statement, as soon as there is one. */
async function toSessions(url: string, what: string, running: string): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await queryOnce(url, `SELECT ${what} ${OTHERS} AND query = '${running}' AND state = 'active'`);
    expect(rowCount).toBe(1);
  });
}

async function postmasterOf(url: string): Promise<number> {
  const { rows } = await queryOnce<{ file: string }>(url, `SELECT pg_read_file('postmaster.pid') AS file`);
  return Number.parseInt(rows[0]?.file ?? '', 10);
}

async function relayTo(url: string): Promise<Relay> {
  const relay = await startRelay(url);
  closers.push(() => relay.close());
  return relay;
}

async function linkTo(url: string): Promise<Link> {
  const link = await startLink(url);
  closers.push(() => link.close());
  return link;
}

async function bouncerTo(url: string, settings: Record<string, number> = {}): Promise<TestPgBouncer> {
  const bouncer = await startPgBouncer(url, { settings });
  closers.push(() => bouncer.stop());
  return bouncer;
}

/** A role of its own in the database. @returns the database's address with it. */
async function withRole(url: string, options: string): Promise<string> {
  const role = `role_${process.pid}_${closers.length}`;
  await queryOnce(url, `CREATE ROLE ${role} LOGIN PASSWORD 'own' ${options}`);
  closers.splice(1, 0, () => queryOnce(url, `DROP ROLE ${role}`));
  const own = new URL(url);
  own.username = role;
  own.password = 'own';
  return own.href;
}
