import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { ownTimeOf } from '@pts/testing/clock';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Link, startLink } from '@pts/testing/network-faults';
import pg from 'pg';
import { byIndex, type Db, openDatabase } from './connection.ts';
import { isDatabaseUnreachable } from './errors.ts';
import { DEADLINES, DeadlineError, DeadlinePool } from './pool.ts';

/** Half of what a caller would wait without the deadline that is tested. */
const MAX_MS = 30_000;

let database: Awaited<ReturnType<typeof testDatabase>>;
let link: Link;
let server: pg.Client;
beforeEach(async () => {
  database = await testDatabase();
  link = await startLink(database.url);
  server = new pg.Client({ connectionString: database.url });
  await server.connect();
});
afterEach(async () => {
  await server.end();
  await link.close();
  await database.close();
});

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error,
  );
/** What the server does for the service at this moment. */
const running = async () => {
  const { rows } = await server.query(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
     AND state NOT IN ('idle', 'disabled') AND backend_type = 'client backend'`,
  );
  return rows.map(({ query }) => query as string);
};

test('statements of users and sweeps have at most ten seconds', () => {
  expect(DEADLINES.statement).toBeLessThanOrEqual(9000);
});

describe('a connection that has gone silent', () => {
  let db: Db;
  beforeEach(() => {
    db = openDatabase({ url: link.url, poolSize: 2, idleTransactionMs: 1000 });
  });
  afterEach(() => db.$disconnect());
  const short = <T>(work: (db: Db) => Promise<T>) => work(db.$within(300));

  const WAYS: [string, () => Promise<unknown>][] = [
    ['a statement through Prisma', () => short(async (db) => db.account.count())],
    ['a raw statement', () => short(async (db) => db.$queryRaw`SELECT 1`)],
    ["Prisma's own connections", () => short((db) => db.$connections.query('SELECT 1'))],
    ['a transaction that begins', () => short((db) => db.$transaction(async (tx) => tx.account.count()))],
  ];

  test.each(WAYS)('%s fails in time, and succeeds once the network is back', async (_way, ask) => {
    // Both connections of the pool are open, and idle, when the network fails.
    await Promise.all([1, 2].map(() => db.$queryRaw`SELECT pg_sleep(0.05)::text`));
    link.mute();
    const [one, other] = await Promise.all([failureOf(ask()), failureOf(ask())]);
    expect([isDatabaseUnreachable(one), isDatabaseUnreachable(other)]).toEqual([true, true]);
    expect(link.hasLost()).toBe(true);
    link.unmute();
    for (const _connection of [1, 2]) await eventually(ask);
  });

  const MIDDLE = 'a statement in the middle';
  test.each([
    ['a transaction', MIDDLE],
    ['a transaction', 'its commit'],
    ['a transaction by index', MIDDLE],
  ])('%s that loses %s fails in time, and its locks are free soon', async (kind, lost) => {
    await server.query('CREATE TABLE held (id int PRIMARY KEY)');
    await server.query('INSERT INTO held VALUES (1)');
    const transaction = (db: Db, use: (change: () => Promise<unknown>) => Promise<void>) =>
      kind === 'a transaction'
        ? db.$transaction((tx) => use(() => tx.$executeRaw`UPDATE public.held SET id = 1`))
        : byIndex(db, ({ $hot }) => use(() => $hot('UPDATE public.held SET id = 1', [])));
    const work = () =>
      short((db) =>
        transaction(db, async (change) => {
          await change();
          link.mute();
          if (lost === MIDDLE) await change();
        }),
      );
    const failure = await failureOf(work());
    expect(isDatabaseUnreachable(failure)).toBe(true);
    // The server does not notice that its client has gone: it has to release the locks on its own.
    const free = () => server.query('SELECT id FROM held FOR UPDATE NOWAIT');
    await eventually(free, { everyMs: 200 });
    link.unmute();
    await eventually(() => db.$queryRaw`SELECT 1`);
  });

  test('disconnecting ends within seconds, even if connections hang', async () => {
    await db.$queryRaw`SELECT 1`;
    link.mute();
    const hanging = [failureOf(db.$within(60_000).account.count()), failureOf(db.$transaction([db.account.count()]))];
    await eventually(() => expect(link.hasLost()).toBe(true));
    expect(await ownTimeOf(() => db.$disconnect())).toBeLessThan(MAX_MS);
    expect((await Promise.all(hanging)).every(isDatabaseUnreachable)).toBe(true);
  });
});

test('a connection that takes longer to open than a request waits serves the next request', async () => {
  const slow = await startSlowLink(database.url, 1500);
  const db = openDatabase({ url: slow.url, poolSize: 2, connectMs: 500 });
  try {
    expect(isDatabaseUnreachable(await failureOf(db.$connections.query('SELECT 1')))).toBe(true);
    await eventually(() => db.$connections.query('SELECT 1'));
  } finally {
    await db.$disconnect();
    await slow.close();
  }
});

describe('a statement that takes too long', () => {
  let pool: DeadlinePool;
  beforeEach(() => {
    pool = new DeadlinePool({ url: link.url, poolSize: 1, statementMs: 300 });
  });
  afterEach(() => pool.close());

  test('is cancelled at the server, and its connection is not used again', async () => {
    const before = await pidOf(pool);
    const failure = await failureOf(pool.query('SELECT pg_sleep(60)'));
    expect(failure).toBeInstanceOf(DeadlineError);
    await eventually(async () => expect(await running()).toEqual([]));
    expect(await pidOf(pool)).not.toBe(before);
  });

  test('delays no waiter for its connection beyond its own deadline', async () => {
    const slow = failureOf(pool.query('SELECT pg_sleep(60)'));
    const patient = pool.within(30_000).query('SELECT pg_sleep(0.6)');
    expect(await slow).toBeInstanceOf(DeadlineError);
    await expect(patient).resolves.toBeDefined();
  });

  test('gets two seconds at most once the process is about to end', async () => {
    const slow = failureOf(pool.within(60_000).query('SELECT pg_sleep(60)'));
    await eventually(async () => expect(await running()).toEqual(['SELECT pg_sleep(60)']));
    pool.hurry();
    expect(await ownTimeOf(() => slow)).toBeLessThan(MAX_MS);
    expect(await slow).toBeInstanceOf(DeadlineError);
  });
});

describe('statements that share connections with others, and have another deadline', () => {
  /** A busy machine needs more than a second for a statement that sleeps for half of one. */
  const MS = 2000;
  let db: Db;
  beforeEach(() => {
    db = openDatabase({ url: database.url, poolSize: 1, statementMs: 60_000, connectMs: 60_000 });
  });
  afterEach(() => db.$disconnect());
  const sleep = (on: Db, seconds: number) => on.$hot(`SELECT pg_sleep(${seconds})`, []);

  test('fail by it, whichever way they take; the others keep theirs', async () => {
    const before = await pidOf(db.$pool);
    const short = db.$within(300);
    const late = [
      () => sleep(short, 60),
      () => short.$queryRaw`SELECT pg_sleep(60)::text`,
      () => short.$transaction([short.$executeRaw`SELECT pg_sleep(60)`]),
    ];
    for (const ask of late) expect(isDatabaseUnreachable(await failureOf(ask()))).toBe(true);
    await sleep(db, 0.6);
    expect(await pidOf(db.$pool)).not.toBe(before);
    expect(db.$within(300)).toBe(short);
    expect(db.$within(60_000)).toBe(db);
  });

  test('wait for a connection within it', async () => {
    const held = failureOf(sleep(db, 30));
    const failure = await failureOf(sleep(db.$within(MS), 0));
    expect(isDatabaseUnreachable(failure)).toBe(true);
    db.$hurry();
    await held;
  });

  test('end their transaction when it is over', async () => {
    await server.query('CREATE TABLE kept (id int)');
    await db.$connections.query('SELECT 1'); // so that the deadline is spent on the statements
    const short = db.$within(MS);
    const hot = short.$hotTransaction(async (tx) => {
      await tx.$hot('INSERT INTO public.kept VALUES (1)', []);
      await tx.$hot('SELECT pg_sleep(60)', []);
    });
    expect(await failureOf(hot)).toBeInstanceOf(DeadlineError);
    const slow = short.$transaction(async (tx) => {
      await tx.$executeRaw`INSERT INTO public.kept VALUES (2)`;
      await tx.$executeRaw`SELECT pg_sleep(60)`;
    });
    expect(isDatabaseUnreachable(await failureOf(slow))).toBe(true);
    expect((await server.query('SELECT id FROM kept')).rows).toEqual([]);
    await expect(db.$queryRaw`SELECT count(*)::int AS kept FROM public.kept`).resolves.toEqual([{ kept: 0 }]);
  });
});

/** A link on which a new connection gets its first answer only after `ms`. */
async function startSlowLink(url: string, ms: number) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const listener = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from);
      from.on('error', () => {}).once('close', () => to.destroy());
    }
    near.pipe(far);
    setTimeout(() => far.pipe(near), ms);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const here = new URL(url);
  here.port = String((listener.address() as AddressInfo).port);
  return {
    url: here.href,
    close: async () => {
      const closed = once(listener.close(), 'close');
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function pidOf(pool: DeadlinePool): Promise<number> {
  // The short deadline of the pool is for other statements.
  return (await pool.within(60_000).query('SELECT pg_backend_pid() AS pid')).rows[0].pid;
}
