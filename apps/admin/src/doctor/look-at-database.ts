import { connectionBudget, type Fleet } from '@pts/core/process/connection-budget';
import { type Db, readClock } from '@pts/db/connection';
import {
  invalidIndexes,
  lockWaits,
  type ServerFacts,
  type Session,
  unfinishedMigrations,
  withoutRights,
} from '@pts/db/diagnosis';
import { TOO_OLD } from '@pts/db/migrate';
import { isTransactionPooled } from '@pts/db/pool';
import { schemaFault } from '@pts/db/readiness';
import { openQueue } from '@pts/queue/connection';
import { readDepths } from '@pts/queue/operate';
import { POSTGRES_SCHEMA, queueSchemaFault, queuesWithoutSequence } from '@pts/queue/postgres/schema';
import { createSharedClock } from '@pts/runtime/process/clock';
import { ALL_QUEUES } from '../command-line/queue-command.ts';
import { advice, type Finding, ok, problem } from './finding.ts';

export type DatabaseSettings = {
  databaseUrl: string;
  directDatabaseUrl?: string | undefined;
  migrateDatabaseUrl?: string | undefined;
  databasePoolSize: number;
  redisUrl?: string | undefined;
  queuePrefix: string;
};

type Deps = { db: Db; config: DatabaseSettings };

const OLDEST_VERSION = 15;
const LONG_SECONDS = 600;
/** From this share of the connections on, a rollout may find none. */
const CROWDED = 0.9;

type Size = { config: DatabaseSettings; fleet: Fleet; surge: number };

/** What PostgreSQL says of itself. */
export function lookAtServer(facts: ServerFacts, size: Size): Finding[] {
  return [versionOf(facts), writesOf(facts), ...connectionsOf(facts, size), longTransactions(facts)];
}

/** Blocked sessions that are shown of each that blocks. */
const SHOWN = 3;

/** Who keeps whom waiting. */
export async function lookAtLocks(db: Db): Promise<Finding[]> {
  const waits = await lockWaits(db);
  if (waits.length === 0) return [ok('locks', 'nobody waits for one')];
  const waiting = new Set(waits.map(({ pid }) => pid));
  // First those that wait for nobody themselves.
  const blockers = [...new Map(waits.map(({ blocker }) => [blocker.pid, blocker])).values()].sort(
    (a, b) => Number(waiting.has(a.pid)) - Number(waiting.has(b.pid)),
  );
  const texts = blockers.slice(0, SHOWN).map((blocker) => {
    const its = waits.filter((wait) => wait.blocker.pid === blocker.pid);
    const shown = its.slice(0, SHOWN).map((wait) => `${sessionOf(wait)} for ${seconds(wait.waitedSeconds)}`);
    const open = `${blocker.state}, transaction open for ${seconds(blocker.openSeconds)}`;
    return `${sessionOf(blocker)}, ${open}, blocks ${its.length}: ${shown.join('; ')}${its.length > SHOWN ? '; …' : ''}`;
  });
  const fix = `if it does not end by itself: SELECT pg_terminate_backend(${blockers[0]?.pid})`;
  return [problem('locks', texts.join('. '), fix)];
}

const sessionOf = ({ pid, name, query }: Session) => `pid ${pid} (${name || 'no name'}: ${query || 'no statement'})`;
const seconds = (count: number) => `${Math.round(count)} s`;

/** The tables of the service: whether they are those of this release, complete, and open to the role. */
export async function lookAtSchema({ db, config }: Deps): Promise<Finding[]> {
  const rights = await rightsOf({ db, config });
  // Without them, what follows may not be readable.
  if (rights.state !== 'ok') return [rights];
  const lacking = await schemaFault(db.$connections);
  if (lacking !== null)
    return [
      problem(
        'migrations',
        lacking,
        lacking === TOO_OLD
          ? 'nothing else helps: DATABASE_URL must lead to an empty database'
          : 'run `npm run admin -- migrate` with the image or checkout of this release',
      ),
    ];
  const unfinished = await unfinishedMigrations(db);
  const invalid = await invalidIndexes(db);
  return [
    unfinished.length > 0
      ? problem(
          'migrations',
          `not finished: ${unfinished.join(', ')}`,
          'run `npm run admin -- migrate`: it goes on from there',
        )
      : ok('migrations', 'the schema is that of this release, or newer'),
    invalid.length > 0
      ? problem(
          'indexes',
          `invalid: ${invalid.join(', ')}`,
          `if no migration is running: REINDEX INDEX CONCURRENTLY ${invalid[0]}`,
        )
      : ok('indexes', 'all are valid'),
    rights,
  ];
}

async function rightsOf({ db, config }: Deps): Promise<Finding> {
  const closed = await withoutRights(db, config.redisUrl === undefined ? ['public', POSTGRES_SCHEMA] : ['public']);
  if (closed.length === 0) return ok('rights', 'the role may read and write every table');
  return problem(
    'rights',
    `the role may not use ${closed.join(', ')}`,
    'grant SELECT, INSERT, UPDATE and DELETE on tables, USAGE on sequences and schemas (k8s/examples/roles.sql)',
  );
}

/** Without Redis, the queue has tables of its own. */
export async function lookAtQueue({ db, config }: Deps): Promise<Finding[]> {
  if (config.redisUrl !== undefined) return [];
  const fault = (await queueSchemaFault(db.$connections)) ?? (await sequenceFault(db));
  if (fault === null) return [ok('queue', 'its tables in PostgreSQL are those of this release')];
  return [problem('queue', fault, 'run `npm run admin -- migrate` without REDIS_URL')];
}

/** Whether workers may take jobs. */
export async function lookAtPausedQueues(config: DatabaseSettings): Promise<Finding[]> {
  const connection = await openQueue({ ...config, prefix: config.queuePrefix, onError: () => {} });
  try {
    const paused = (await readDepths(connection, ALL_QUEUES)).filter(({ isPaused }) => isPaused);
    if (paused.length === 0) return [ok('queues', 'none is paused')];
    return paused.map(({ queue }) =>
      problem(
        'queues',
        `${queue} is paused: nobody takes its jobs`,
        `\`npm run admin -- queues resume ${queue}\` ends it`,
      ),
    );
  } finally {
    await connection.close();
  }
}

async function sequenceFault(db: Db): Promise<string | null> {
  const queues = await queuesWithoutSequence(db.$connections, ALL_QUEUES);
  if (queues.length === 0) return null;
  return `the role cannot add jobs to ${queues.join(', ')}: their sequences are missing, and it may not create them`;
}

function versionOf({ version }: ServerFacts): Finding {
  if (version >= OLDEST_VERSION) return ok('version', `PostgreSQL ${version}`);
  return problem('version', `PostgreSQL ${version}`, `upgrade it to ${OLDEST_VERSION} or newer`);
}

function writesOf({ refusesWrites }: ServerFacts): Finding {
  switch (refusesWrites) {
    case null:
      return ok('writes', 'the server takes writes');
    case 'standby':
      return problem(
        'writes',
        'the server is a standby: it takes no writes',
        'let DATABASE_URL lead to the primary server',
      );
    case 'setting':
      return problem(
        'writes',
        'default_transaction_read_only is on: the server takes no writes',
        'find out who has set it, for the database, the role or the server: a hosted PostgreSQL does so when its disk is nearly full',
      );
  }
}

export async function lookAtClock(db: Db, now: () => Date): Promise<Finding[]> {
  const clock = createSharedClock({ read: () => readClock(db), machine: () => now().getTime() });
  await clock.sync();
  const skew = clock.skewSeconds();
  const what = `this machine's clock is ${Math.abs(skew).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} PostgreSQL's`;
  if (clock.isRight()) return [ok('clock', what)];
  return [problem('clock', `${what}: processes on it take no work`, 'correct NTP on the one that is wrong')];
}

function connectionsOf({ connections, usedConnections }: ServerFacts, { config, fleet, surge }: Size): Finding[] {
  const { apis, pollers, dispatchers } = fleet;
  const needed = connectionBudget(fleet, {
    poolSize: config.databasePoolSize,
    hasRedis: config.redisUrl !== undefined,
    surge,
  });
  const what = `${apis} + ${pollers} + ${dispatchers} processes need up to ${needed} connections; the server accepts ${connections}`;
  const fix =
    'raise max_connections, lower DATABASE_POOL_SIZE, or put PgBouncer in between (docs/operations.md, "The connection budget")';
  const used = `${usedConnections} of ${connections} connections are in use`;
  return [
    needed > connections ? advice('connection budget', what, fix) : ok('connection budget', what),
    usedConnections >= CROWDED * connections ? problem('connections', used, fix) : ok('connections', used),
  ];
}

function longTransactions({ oldestTransactionSeconds }: ServerFacts): Finding {
  const minutes = Math.round(oldestTransactionSeconds / 60);
  if (oldestTransactionSeconds < LONG_SECONDS) return ok('transactions', 'none is old');
  return advice(
    'transactions',
    `one has been open for ${minutes} minutes: it holds up migrations and GET /events, and tables grow`,
    'SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start, and end it: SELECT pg_terminate_backend(pid)',
  );
}

/** @param isPod whether `MIGRATE_DATABASE_URL` may be a setting of the migration's pod alone. */
export async function lookAtPooler(
  { databaseUrl, directDatabaseUrl, migrateDatabaseUrl, redisUrl }: DatabaseSettings,
  isPod: boolean,
): Promise<Finding[]> {
  if (!(await isTransactionPooled(databaseUrl))) return [ok('pooler', 'DATABASE_URL keeps a session for each client')];
  const mode = 'DATABASE_URL leads to a pooler in transaction mode';
  const missing = [
    ...(migrateDatabaseUrl === undefined ? ['MIGRATE_DATABASE_URL'] : []),
    ...(redisUrl === undefined && directDatabaseUrl === undefined ? ['DIRECT_DATABASE_URL'] : []),
  ];
  if (missing.length === 0) return [ok('pooler', `${mode}, and the direct addresses are set`)];
  const fix = `set ${missing.join(' and ')} to the PostgreSQL server itself`;
  if (isPod && missing.join() === 'MIGRATE_DATABASE_URL')
    return [advice('pooler', `${mode}; whether the migration's Job has MIGRATE_DATABASE_URL is not seen here`, fix)];
  return [problem('pooler', `${mode}, and ${missing.join(' and ')} is not set`, fix)];
}
