import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { testDatabase } from '@pts/testing/database';
import { eventually } from '@pts/testing/eventually';
import { type Link, startLink } from '@pts/testing/link';
import { ownTimeOf } from '@pts/testing/own-clock';
import pg from 'pg';
import { type Db, openDatabase, type Tx } from './connection.ts';
import { isDatabaseUnreachable } from './errors.ts';
import {
  type Connections,
  DEADLINES,
  DeadlineError,
  joinCalls,
  openConnections,
  withDeadline,
  withHalfTheTime,
  withSharedDeadline,
} from './pool.ts';

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
  const short = <T>(work: () => Promise<T>) => withDeadline(300, work);

  const WAYS: [string, () => Promise<unknown>][] = [
    ['a statement through Prisma', () => short(async () => db.account.count())],
    ['a raw statement', () => short(async () => db.$queryRaw`SELECT 1`)],
    ["Prisma's own connections", () => short(() => db.$connections.query('SELECT 1'))],
    ['a transaction that begins', () => short(() => db.$transaction(async (tx) => tx.account.count()))],
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

  test.each(['a statement in the middle', 'its commit'])(
    'a transaction that loses %s fails in time, and its locks are free soon',
    async (lost) => {
      await server.query('CREATE TABLE held (id int PRIMARY KEY)');
      await server.query('INSERT INTO held VALUES (1)');
      const change = (tx: Tx) => tx.$executeRaw`UPDATE public.held SET id = 1`;
      const work = () =>
        short(() =>
          db.$transaction(async (tx) => {
            await change(tx);
            link.mute();
            if (lost !== 'its commit') await change(tx);
          }),
        );
      const failure = await failureOf(work());
      expect(isDatabaseUnreachable(failure)).toBe(true);
      // The server does not notice that its client has gone: it has to release the locks on its own.
      const free = () => server.query('SELECT id FROM held FOR UPDATE NOWAIT');
      await eventually(free, { everyMs: 200 });
      link.unmute();
      await eventually(() => db.$queryRaw`SELECT 1`);
    },
  );

  test('disconnecting ends within seconds, even if connections hang', async () => {
    await db.$queryRaw`SELECT 1`;
    link.mute();
    const hanging = [
      failureOf(withDeadline(60_000, async () => db.account.count())),
      failureOf(db.$transaction([db.account.count()])),
    ];
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
  let connections: Connections;
  beforeEach(() => {
    connections = openConnections({ url: link.url, poolSize: 1, statementMs: 300 });
  });
  afterEach(() => connections.close());

  test('is cancelled at the server, and its connection is not used again', async () => {
    const { pool } = connections;
    const before = await pidOf(pool);
    const failure = await failureOf(pool.query('SELECT pg_sleep(60)'));
    expect(failure).toBeInstanceOf(DeadlineError);
    await eventually(async () => expect(await running()).toEqual([]));
    expect(await pidOf(pool)).not.toBe(before);
  });

  test('delays no waiter for its connection beyond its own deadline', async () => {
    const { pool } = connections;
    const slow = failureOf(pool.query('SELECT pg_sleep(60)'));
    const patient = withDeadline(30_000, () => pool.query('SELECT pg_sleep(0.6)'));
    expect(await slow).toBeInstanceOf(DeadlineError);
    await expect(patient).resolves.toBeDefined();
  });

  test('gets two seconds at most once the process is about to end', async () => {
    const slow = failureOf(withDeadline(60_000, () => connections.pool.query('SELECT pg_sleep(60)')));
    await eventually(async () => expect(await running()).toEqual(['SELECT pg_sleep(60)']));
    connections.hurry();
    expect(await ownTimeOf(() => slow)).toBeLessThan(MAX_MS);
    expect(await slow).toBeInstanceOf(DeadlineError);
  });
});

describe('statements that have one deadline together', () => {
  /** A busy machine needs more than a second for a statement that sleeps for half of one. */
  const MS = 2000;
  let connections: Connections;
  beforeEach(() => {
    connections = openConnections({ url: database.url, poolSize: 1, statementMs: 60_000 });
  });
  afterEach(() => connections.close());
  const sleep = (seconds: number) => connections.pool.query(`SELECT pg_sleep(${seconds})`);

  test('fail together, and those after that are not sent', async () => {
    const before = await pidOf(connections.pool);
    await withSharedDeadline(MS, async () => {
      // On a busy machine, this one may have been late already.
      await failureOf(sleep(0.6));
      expect(await failureOf(sleep(60))).toBeInstanceOf(DeadlineError);
      expect(await failureOf(sleep(0))).toBeInstanceOf(DeadlineError);
    });
    const after = await pidOf(connections.pool);
    expect(after).not.toBe(before);
    await withSharedDeadline(0, async () => expect(await failureOf(sleep(0))).toBeInstanceOf(DeadlineError));
    expect(await pidOf(connections.pool)).toBe(after);
  });

  test('wait for a connection within it', async () => {
    const held = withDeadline(60_000, () => sleep(30));
    const failure = await failureOf(withSharedDeadline(MS, () => sleep(0)));
    expect(isDatabaseUnreachable(failure)).toBe(true);
    connections.hurry();
    await failureOf(held);
  });

  test('do not count what happens between them', async () => {
    const ms = 2 * MS;
    await withSharedDeadline(ms, async () => {
      await sleep(0);
      await withDeadline(60_000, () => sleep(1.25 * (ms / 1000)));
      await sleep(0);
    });
  });

  test('end their transaction when it is over', async () => {
    const db = openDatabase({ url: database.url, poolSize: 1 });
    try {
      await server.query('CREATE TABLE kept (id int)');
      await db.$connections.query('SELECT 1'); // so that the deadline is spent on the statements
      const hot = () =>
        db.$hotTransaction(async (tx) => {
          await tx.$hot('INSERT INTO public.kept VALUES (1)', []);
          await tx.$hot('SELECT pg_sleep(60)', []);
        });
      expect(await failureOf(withSharedDeadline(MS, hot))).toBeInstanceOf(DeadlineError);
      const slow = withSharedDeadline(MS, () =>
        failureOf(
          db.$transaction(async (tx) => {
            await tx.$executeRaw`INSERT INTO public.kept VALUES (2)`;
            await tx.$executeRaw`SELECT pg_sleep(60)`;
          }),
        ),
      );
      expect(isDatabaseUnreachable(await slow)).toBe(true);
      expect((await server.query('SELECT id FROM kept')).rows).toEqual([]);
      await expect(db.$queryRaw`SELECT count(*)::int AS kept FROM public.kept`).resolves.toEqual([{ kept: 0 }]);
    } finally {
      await db.$disconnect();
    }
  });

  test('leave half of what is left to those that follow one that is not essential', async () => {
    await withSharedDeadline(3 * MS, async () => {
      expect(await failureOf(withHalfTheTime(() => sleep(60)))).toBeInstanceOf(DeadlineError);
      await sleep(0.5);
    });
  });

  test('of a caller whose call is done with those of others end its wait', async () => {
    let isGone = () => false;
    const never = withSharedDeadline(MS, () =>
      joinCalls((caller) => {
        isGone = caller.isGone;
        return new Promise<never>(() => {});
      }),
    );
    expect(await failureOf(never)).toBeInstanceOf(DeadlineError);
    expect(isGone()).toBe(true);
    const own = await withSharedDeadline(MS, () => joinCalls(async (caller) => caller));
    expect(await failureOf(own.run(() => sleep(60)))).toBeInstanceOf(DeadlineError);
    await sleep(0);
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

async function pidOf(pool: pg.Pool): Promise<number> {
  // The short deadline of the pool is for other statements.
  return (await withDeadline(60_000, () => pool.query('SELECT pg_backend_pid() AS pid'))).rows[0].pid;
}
