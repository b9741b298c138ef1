import { setTimeout as delay } from 'node:timers/promises';
import { connectionBudget, type Fleet } from '@pts/core/process/connection-budget';
import { parseRedisAddress, showRedisAddress } from '@pts/core/settings';
import { type Db, openDatabase, readClock } from '@pts/db/connection';
import {
  invalidIndexes,
  lockWaits,
  type ServerFacts,
  type Session,
  unfinishedMigrations,
  withoutRights,
} from '@pts/db/diagnosis';
import { countByKey } from '@pts/db/encryption';
import { messageOf } from '@pts/db/errors';
import { TOO_OLD } from '@pts/db/migrate';
import { isTransactionPooled } from '@pts/db/pool';
import { keyFits, schemaFault } from '@pts/db/readiness';
import { LOOK_EVERY_MS, MAX_STALE_MS, readReplica } from '@pts/db/replica';
import { openQueue } from '@pts/queue/connection';
import { readDepths } from '@pts/queue/operate';
import { POSTGRES_SCHEMA, queueSchemaFault, queuesWithoutSequence } from '@pts/queue/postgres/schema';
import { inspectRedis } from '@pts/queue/redis/inspect';
import { createKeyring, type Keyring } from '@pts/runtime/encryption/keyring';
import { createSharedClock } from '@pts/runtime/process/clock';
import { ALL_QUEUES } from '../installation.ts';

/** A finding of one check. */
export type Finding = {
  /** The subject of the check. */
  check: string;
  /** `problem`: something does not work, or will not. `advice`: it works, at a risk. */
  state: 'ok' | 'advice' | 'problem';
  what: string;
  /** The action to take. */
  fix?: string;
};

/** A check: its subject, how it is made, and its time limit if that is not the usual one. */
export type Look = readonly [check: string, look: () => Promise<readonly Finding[]>, ms?: number];

export const ok = (check: string, what: string): Finding => ({ check, state: 'ok', what });
export const problem = (check: string, what: string, fix: string): Finding => ({ check, state: 'problem', what, fix });
export const advice = (check: string, what: string, fix: string): Finding => ({ check, state: 'advice', what, fix });

type DatabaseSettings = {
  databaseUrl: string;
  directDatabaseUrl?: string | undefined;
  migrateDatabaseUrl?: string | undefined;
  databasePoolSize: number;
  redisUrl?: string | undefined;
  queuePrefix: string;
};

type Deps = { db: Db; config: DatabaseSettings };

const OLDEST_POSTGRES = 15;
const LONG_SECONDS = 600;
/** From this share of the connections on, a rollout may find none. */
const CROWDED = 0.9;

type Size = { config: DatabaseSettings; fleet: Fleet; surge: number };

/** Findings from what PostgreSQL says of itself. */
export function lookAtServer(facts: ServerFacts, size: Size): Finding[] {
  return [versionOf(facts), writesOf(facts), ...connectionsOf(facts, size), longTransactions(facts)];
}

/** Blocked sessions that are shown of each that blocks. */
const SHOWN = 3;

/** Who keeps whom waiting. */
export async function lookAtLocks(db: Db): Promise<Finding[]> {
  const waits = await lockWaits(db);
  if (waits.length === 0) return [ok('locks', 'none is blocking')];
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
  const fix = `if it does not end on its own, run SELECT pg_terminate_backend(${blockers[0]?.pid})`;
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
          ? 'set DATABASE_URL to an empty database; nothing else helps'
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
          'run `npm run admin -- migrate`, which continues from there',
        )
      : ok('migrations', 'the schema is from this release or a newer one'),
    invalid.length > 0
      ? problem(
          'indexes',
          `invalid: ${invalid.join(', ')}`,
          `if no migration is running, run REINDEX INDEX CONCURRENTLY ${invalid[0]}`,
        )
      : ok('indexes', 'all valid'),
    rights,
  ];
}

async function rightsOf({ db, config }: Deps): Promise<Finding> {
  const closed = await withoutRights(db, config.redisUrl === undefined ? ['public', POSTGRES_SCHEMA] : ['public']);
  if (closed.length === 0) return ok('rights', 'the role can read and write every table');
  return problem(
    'rights',
    `the role cannot use ${closed.join(', ')}`,
    'grant SELECT, INSERT, UPDATE and DELETE on tables, USAGE on sequences and schemas (k8s/examples/roles.sql)',
  );
}

/** Without Redis, the queue has tables of its own. */
export async function lookAtQueue({ db, config }: Deps): Promise<Finding[]> {
  if (config.redisUrl !== undefined) return [];
  const fault = (await queueSchemaFault(db.$connections)) ?? (await sequenceFault(db));
  if (fault === null) return [ok('queue', 'its tables in PostgreSQL are from this release')];
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
        `${queue} is paused, so no process takes its jobs`,
        `to resume it, run \`npm run admin -- queues resume ${queue}\``,
      ),
    );
  } finally {
    await connection.close();
  }
}

async function sequenceFault(db: Db): Promise<string | null> {
  const queues = await queuesWithoutSequence(db.$connections, ALL_QUEUES);
  if (queues.length === 0) return null;
  return `the role cannot add jobs to ${queues.join(', ')}: their sequences are missing, and it cannot create them`;
}

function versionOf({ version }: ServerFacts): Finding {
  if (version >= OLDEST_POSTGRES) return ok('version', `PostgreSQL ${version}`);
  return problem('version', `PostgreSQL ${version}`, `upgrade it to ${OLDEST_POSTGRES} or newer`);
}

function writesOf({ refusesWrites }: ServerFacts): Finding {
  switch (refusesWrites) {
    case null:
      return ok('writes', 'the server accepts writes');
    case 'standby':
      return problem(
        'writes',
        'the server is a standby and accepts no writes',
        'set DATABASE_URL to the primary server',
      );
    case 'setting':
      return problem(
        'writes',
        'default_transaction_read_only is on, so the server accepts no writes',
        'find out who set it for the database, the role or the server; hosted PostgreSQL does so when its disk is nearly full',
      );
  }
}

export async function lookAtClock(db: Db, now: () => Date): Promise<Finding[]> {
  const clock = createSharedClock({ read: () => readClock(db), machine: () => now().getTime() });
  await clock.sync();
  const skew = clock.skewSeconds();
  const what = `this machine's clock is ${Math.abs(skew).toFixed(1)} s ${skew < 0 ? 'behind' : 'ahead of'} PostgreSQL's`;
  if (clock.isRight()) return [ok('clock', what)];
  return [
    problem(
      'clock',
      `${what}, so processes on this machine take no work`,
      'fix NTP on the machine whose clock is wrong',
    ),
  ];
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
  if (oldestTransactionSeconds < LONG_SECONDS) return ok('transactions', 'none has been open for long');
  return advice(
    'transactions',
    `one has been open for ${minutes} minutes; it delays migrations and GET /events, and tables grow`,
    'find it with SELECT pid, xact_start, query FROM pg_stat_activity ORDER BY xact_start, and end it with SELECT pg_terminate_backend(pid)',
  );
}

/** @param isPod whether `MIGRATE_DATABASE_URL` may be a setting of the migration's pod alone. */
export async function lookAtPooler(
  { databaseUrl, directDatabaseUrl, migrateDatabaseUrl, redisUrl }: DatabaseSettings,
  isPod: boolean,
): Promise<Finding[]> {
  if (!(await isTransactionPooled(databaseUrl))) return [ok('pooler', 'DATABASE_URL keeps a session for each client')];
  const mode = 'DATABASE_URL is a pooler in transaction mode';
  const missing = [
    ...(migrateDatabaseUrl === undefined ? ['MIGRATE_DATABASE_URL'] : []),
    ...(redisUrl === undefined && directDatabaseUrl === undefined ? ['DIRECT_DATABASE_URL'] : []),
  ];
  if (missing.length === 0) return [ok('pooler', `${mode}, and the direct addresses are set`)];
  const fix = `set ${missing.join(' and ')} to the PostgreSQL server itself`;
  if (isPod && missing.join() === 'MIGRATE_DATABASE_URL')
    return [
      advice('pooler', `${mode}; this pod cannot tell whether the migration's Job has MIGRATE_DATABASE_URL`, fix),
    ];
  return [problem('pooler', `${mode}, and ${missing.join(' and ')} is not set`, fix)];
}

const PAGE = 'docs/operations.md, "The encryption key"';

/** @param encryptionKeys as this command has them; absent if it has none, or settings are wrong. */
export async function lookAtKey(
  db: Db,
  { encryptionKeys }: { encryptionKeys?: readonly string[] },
): Promise<Finding[]> {
  if (encryptionKeys === undefined)
    return [
      advice(
        'encryption key',
        'ENCRYPTION_KEY was not checked, because it is not set here or the settings have problems',
        'run this with the environment of the services',
      ),
    ];
  const keyring = createKeyring(encryptionKeys);
  switch (await keyFits(db, keyring)) {
    case true:
      return [ok('encryption key', 'it matches the stored secrets'), await lookAtSecrets(db, keyring)];
    case null:
      return [ok('encryption key', 'no process has started yet; the first one stores a check value')];
    default:
      return [
        problem(
          'encryption key',
          'ENCRYPTION_KEY did not encrypt the webhook secrets, so processes refuse to start',
          `set the original key; if it is lost, see ${PAGE}`,
        ),
      ];
  }
}

/** Whether the first key decrypts every stored secret, or which other one is needed. */
async function lookAtSecrets(db: Db, keyring: Keyring): Promise<Finding> {
  const { byKey, lost, lostAnswers } = await countByKey(db, keyring);
  const [first, ...older] = keyring.ids;
  if (lost > lostAnswers)
    return problem(
      'stored secrets',
      `no key in ENCRYPTION_KEY decrypts ${lost - lostAnswers} of them, so their pushes are not sent`,
      `add the key that encrypted them to the end of the list; if it is lost, their webhooks must be registered again (${PAGE})`,
    );
  if (lostAnswers > 0)
    return problem(
      'stored secrets',
      `no key in ENCRYPTION_KEY decrypts ${lostAnswers} of the responses stored for an Idempotency-Key, so repeated requests fail`,
      'add the key that encrypted them to the end of the list; otherwise they expire within a day',
    );
  const needed = older.filter((id) => (byKey[id] ?? 0) > 0);
  if (needed.length > 0)
    return advice(
      'stored secrets',
      `${needed.map((id) => `${byKey[id]} are encrypted with the older key ${id}`).join(', ')}, not with ${first}`,
      'once every process has the list with the new key first, run `npm run admin -- keys re-encrypt`',
    );
  if (older.length > 0)
    return advice(
      'stored secrets',
      `nothing needs the older key ${older.join(', ')} any more`,
      'remove it from ENCRYPTION_KEY of every process',
    );
  return ok('stored secrets', `all are encrypted with the key ${first}`);
}

const OLDEST_REDIS = [6, 2] as const;
/** From this share of its memory on, it will soon refuse to write. */
const NEARLY_FULL = 0.9;

/** Whether Redis keeps the jobs of the queue. */
export async function lookAtRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [ok('redis', 'REDIS_URL is not set, so the queue and the limits are in PostgreSQL')];
  try {
    const facts = await inspectRedis(url);
    if (facts === null)
      return [
        advice(
          'redis',
          `${addressOf(url)} responds, but its user cannot read its version, policy and memory`,
          'allow this user the command INFO, or check yourself that it is version 6.2 or newer with maxmemory-policy noeviction',
        ),
      ];
    const { version, policy, isPersistent, usedBytes, maxBytes } = facts;
    const isFull = maxBytes > 0 && usedBytes >= NEARLY_FULL * maxBytes;
    return [
      isOld(version)
        ? problem('redis', `Redis ${version}`, `upgrade it to ${OLDEST_REDIS.join('.')} or newer`)
        : ok('redis', `Redis ${version}`),
      policyOf(policy),
      isPersistent === false
        ? advice(
            'redis persistence',
            'its data is lost when it restarts, and the sweeps then start all work late',
            'turn on appendonly or save',
          )
        : ok('redis persistence', isPersistent ? 'on' : 'unknown; ask whoever runs it'),
      isFull
        ? problem(
            'redis memory',
            `${usedBytes} of ${maxBytes} bytes are in use`,
            'raise maxmemory, or find out what else uses this Redis',
          )
        : ok('redis memory', `${usedBytes} bytes are in use`),
    ];
  } catch (error) {
    return [
      problem(
        'redis',
        `${addressOf(url)} cannot be used: ${messageOf(error)}`,
        'check REDIS_URL, its password, TLS (rediss://) and the network; meanwhile the sweeps start all work',
      ),
    ];
  }
}

function policyOf(policy: string | null): Finding {
  switch (policy) {
    case 'noeviction':
      return ok('redis policy', 'noeviction');
    case null:
      return advice('redis policy', 'unknown', 'make sure that whoever runs it has set noeviction');
    default:
      return problem(
        'redis policy',
        `${policy}, so a full Redis drops jobs of the queue`,
        'run CONFIG SET maxmemory-policy noeviction, and set it in the configuration, too',
      );
  }
}

/** Whether the Redis for the limits alone answers. */
export async function lookAtLimitsRedis(url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [];
  try {
    const facts = await inspectRedis(url);
    return [ok('redis for limits', facts === null ? `${addressOf(url)} responds` : `Redis ${facts.version}`)];
  } catch (error) {
    return [
      problem(
        'redis for limits',
        `${addressOf(url)} cannot be used: ${messageOf(error)}`,
        'check REDIS_LIMITS_URL; meanwhile each process counts for itself',
      ),
    ];
  }
}

/** Without credentials. */
function addressOf(url: string): string {
  const address = parseRedisAddress(url);
  return address === null ? 'the address' : showRedisAddress(address);
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_REDIS[0] || (major === OLDEST_REDIS[0] && minor < OLDEST_REDIS[1]);
}

const MEANWHILE = 'meanwhile, lists are read from the primary';

/** Whether the replica for lists is fresh enough to be read, by the measure of the API. */
export async function lookAtReplica(primary: Db, url: string | undefined): Promise<Finding[]> {
  if (url === undefined) return [];
  const replica = openDatabase({ url, poolSize: 1 });
  const { look, lagMs } = readReplica({ primary, replica });
  try {
    for (let waited = 0; waited <= MAX_STALE_MS; waited += LOOK_EVERY_MS) {
      await look();
      if (lagMs() !== null) return [ok('replica', `at most ${(waited / 1000).toFixed(1)} s behind the primary`)];
      await delay(LOOK_EVERY_MS);
    }
    return [
      advice(
        'replica',
        `more than ${MAX_STALE_MS / 1000} s behind the primary`,
        `check pg_stat_replication on the primary, and look for long statements on the replica; ${MEANWHILE}`,
      ),
    ];
  } catch (error) {
    return [
      advice(
        'replica',
        `cannot be used: ${messageOf(error).split('\n').at(-1)}`,
        `set DATABASE_REPLICA_URL to a running streaming replica; ${MEANWHILE}`,
      ),
    ];
  } finally {
    await replica.$disconnect();
  }
}
