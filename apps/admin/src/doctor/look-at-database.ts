import { connectionBudget, type Fleet } from '@pts/core/process/connection-budget';
import type { Db } from '@pts/db/connection/client';
import { readClock } from '@pts/db/connection/clock';
import { isTransactionPooled } from '@pts/db/connection/pooler';
import {
  invalidIndexes,
  readServer,
  type ServerFacts,
  unfinishedMigrations,
  withoutRights,
} from '@pts/db/diagnosis/server';
import { schemaFault } from '@pts/db/migrate/readiness';
import { TOO_OLD } from '@pts/db/migrate/recorded';
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
};

type Deps = { db: Db; config: DatabaseSettings; fleet: Fleet; surge: number; now(): Date };

const OLDEST_VERSION = 15;
const LONG_SECONDS = 600;
/** From this share of the connections on, a rollout may find none. */
const CROWDED = 0.9;

/** Everything about PostgreSQL that does not need the tables of the service. */
export async function lookAtServer({ db, config, fleet, surge, now }: Deps): Promise<Finding[]> {
  const facts = await readServer(db);
  return [
    versionOf(facts),
    writesOf(facts),
    await clockOf(db, now),
    ...connectionsOf(facts, { config, fleet, surge }),
    longTransactions(facts),
    await poolerOf(config),
  ];
}

/** The tables of the service: whether they are those of this release, complete, and open to the role. */
export async function lookAtSchema({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Finding[]> {
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

async function rightsOf({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Finding> {
  const closed = await withoutRights(db, config.redisUrl === undefined ? ['public', POSTGRES_SCHEMA] : ['public']);
  if (closed.length === 0) return ok('rights', 'the role may read and write every table');
  return problem(
    'rights',
    `the role may not use ${closed.join(', ')}`,
    'grant SELECT, INSERT, UPDATE and DELETE on tables, USAGE on sequences and schemas (k8s/examples/roles.sql)',
  );
}

/** Without Redis, the queue has tables of its own. */
export async function lookAtQueue({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Finding[]> {
  if (config.redisUrl !== undefined) return [];
  const fault = (await queueSchemaFault(db.$connections)) ?? (await sequenceFault(db));
  if (fault === null) return [ok('queue', 'its tables in PostgreSQL are those of this release')];
  return [problem('queue', fault, 'run `npm run admin -- migrate` without REDIS_URL')];
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

async function clockOf(db: Db, now: () => Date): Promise<Finding> {
  const clock = createSharedClock({ read: () => readClock(db), machine: () => now().getTime() });
  await clock.sync();
  const skew = clock.skewSeconds();
  const what = `this machine's clock is ${Math.abs(skew).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} PostgreSQL's`;
  if (clock.isRight()) return ok('clock', what);
  return problem('clock', `${what}: processes on it take no work`, 'correct NTP on the one that is wrong');
}

function connectionsOf(
  { connections, usedConnections }: ServerFacts,
  { config, fleet, surge }: Pick<Deps, 'config' | 'fleet' | 'surge'>,
): Finding[] {
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

async function poolerOf({
  databaseUrl,
  directDatabaseUrl,
  migrateDatabaseUrl,
  redisUrl,
}: DatabaseSettings): Promise<Finding> {
  if (!(await isTransactionPooled(databaseUrl))) return ok('pooler', 'DATABASE_URL keeps a session for each client');
  const missing = [
    ...(migrateDatabaseUrl === undefined ? ['MIGRATE_DATABASE_URL'] : []),
    ...(redisUrl === undefined && directDatabaseUrl === undefined ? ['DIRECT_DATABASE_URL'] : []),
  ];
  if (missing.length === 0)
    return ok('pooler', 'DATABASE_URL leads to a pooler in transaction mode, and the direct addresses are set');
  return problem(
    'pooler',
    `DATABASE_URL leads to a pooler in transaction mode, and ${missing.join(' and ')} is not set`,
    `set ${missing.join(' and ')} to the PostgreSQL server itself`,
  );
}
