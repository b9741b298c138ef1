import { randomInt } from 'node:crypto';
import type { Hints } from '@pts/core/tracking/schedule';
import { column, columns, type Db, rows } from './connection.ts';
import { Prisma } from './generated/client.ts';

type Connections = Pick<Db, '$connections'>;

/** Facts that an operator needs to know about the server. */
export type ServerFacts = {
  /** The major version. */
  version: number;
  /** Connections that roles without special rights can have, over all databases. */
  connections: number;
  usedConnections: number;
  /** Why it takes no writes: it replays those of a primary server, or is set so (`default_transaction_read_only`). */
  refusesWrites: 'standby' | 'setting' | null;
  /** Age of the oldest transaction that is open in this database, other than this one; 0 if there is none. */
  oldestTransactionSeconds: number;
};

const FACTS = `
  SELECT current_setting('server_version_num')::int / 10000 AS version,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - COALESCE(current_setting('reserved_connections', true)::int, 0) AS connections,
    (SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "usedConnections",
    CASE WHEN pg_is_in_recovery() THEN 'standby'
      WHEN current_setting('default_transaction_read_only')::bool THEN 'setting' END AS "refusesWrites",
    COALESCE((SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float8 FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'), 0)
      AS "oldestTransactionSeconds"`;

export async function readServer({ $connections }: Connections): Promise<ServerFacts> {
  const { rows } = await $connections.query<ServerFacts>(FACTS);
  const [facts] = rows;
  if (!facts) throw new Error('the server did not answer');
  return facts;
}

/** A session of this database. */
export type Session = {
  pid: number;
  /** Its `application_name`. */
  name: string;
  /** Its last statement, shortened, without values. */
  query: string;
};

/** A session that waits for a lock of another one. */
type LockWait = Session & { waitedSeconds: number; blocker: Session & { state: string; openSeconds: number } };

/** A wait that is shorter belongs to normal work. */
const WAITED_SECONDS = 1;
const MAX_WAITS = 100;

/** Who waits for whom, the longest wait first. */
export async function lockWaits({ $connections }: Connections): Promise<LockWait[]> {
  const { rows } = await $connections.query<LockWait>(
    `SELECT w.pid, w.application_name AS name, w.query, extract(epoch FROM clock_timestamp() - w.since)::float8 AS "waitedSeconds",
       json_build_object('pid', b.pid, 'name', b.application_name, 'query', b.query, 'state', COALESCE(b.state, 'unknown'),
         'openSeconds', COALESCE(extract(epoch FROM clock_timestamp() - b.xact_start), 0)) AS blocker
     FROM (SELECT a.pid, a.application_name, a.query, min(l.waitstart) AS since
       FROM pg_locks l JOIN pg_stat_activity a USING (pid)
       WHERE NOT l.granted AND a.datname = current_database() GROUP BY 1, 2, 3) w
     CROSS JOIN LATERAL unnest(pg_blocking_pids(w.pid)) AS blocking(pid)
     JOIN pg_stat_activity b ON b.pid = blocking.pid
     WHERE w.since < clock_timestamp() - make_interval(secs => $1) ORDER BY w.since, b.pid LIMIT $2`,
    [WAITED_SECONDS, MAX_WAITS],
  );
  const shown = <S extends Session>(session: S): S => ({ ...session, query: withoutValues(session.query ?? '') });
  return rows.map((row) => ({ ...shown(row), blocker: shown(row.blocker) }));
}

const SHOWN_QUERY = 100;

/** A statement on one line, shortened, with `?` for what may be somebody's data. */
function withoutValues(query: string): string {
  const text = query
    .replace(/'(?:[^']|'')*(?:'|$)/g, '?')
    .replace(/\$\w{0,63}\$[\s\S]*/, '?')
    .replace(/[\w$.]+/g, (word) => (/^\d/.test(word) ? '?' : word))
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > SHOWN_QUERY ? `${text.slice(0, SHOWN_QUERY)}…` : text;
}

/** Indexes that an interrupted build has left: every write pays for them, and no statement uses them. */
export async function invalidIndexes({ $connections }: Connections): Promise<string[]> {
  const { rows } = await $connections.query<{ name: string }>(
    `SELECT indexrelid::regclass::text AS name FROM pg_index JOIN pg_class t ON t.oid = indrelid
     WHERE NOT indisvalid AND t.relnamespace = 'public'::regnamespace ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** Migrations that began and neither ended nor were rolled back. */
export async function unfinishedMigrations({ $connections }: Connections): Promise<string[]> {
  const { rows } = await $connections.query<{ name: string }>(
    `SELECT migration_name AS name FROM public._prisma_migrations
     WHERE finished_at IS NULL AND rolled_back_at IS NULL ORDER BY started_at`,
  );
  return rows.map(({ name }) => name);
}

/** Tables that processes only read: those of the migrations. */
const ONLY_READ = "('_prisma_migrations', 'migration')";

/**
 * The objects in these schemas that the role lacks rights for: tables whose rows it may not read and write, sequences,
 * and the schemas themselves. Partitions are reached by the rights of their table.
 */
export async function withoutRights({ $connections }: Connections, schemas: readonly string[]): Promise<string[]> {
  const { rows } = await $connections.query<{ name: string }>(
    `SELECT 'schema ' || nspname AS name FROM pg_namespace WHERE nspname = ANY($1) AND NOT has_schema_privilege(oid, 'USAGE')
     UNION ALL
     SELECT CASE relkind WHEN 'S' THEN 'sequence ' ELSE '' END || c.oid::regclass FROM pg_class c
     WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname = ANY($1)) AND NOT relispartition
       AND NOT CASE
         WHEN relkind = 'S' THEN has_sequence_privilege(c.oid, 'USAGE, UPDATE')
         WHEN relkind NOT IN ('r', 'p') THEN true
         ELSE has_table_privilege(c.oid, 'SELECT') AND (relname IN ${ONLY_READ} OR has_table_privilege(c.oid, 'INSERT')
           AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE')) END
     ORDER BY 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/** An endpoint that does not accept deliveries. */
type FailingEndpoint = { id: string; accountId: string; failingSince: Date };

/** The enabled endpoints that have failed for longest, and how many fail in all. */
export async function failingEndpoints(
  db: Db,
  { before, limit }: { before: Date; limit: number },
): Promise<{ count: number; oldest: FailingEndpoint[] }> {
  const where = { enabled: true, failingSince: { lt: before } };
  const select = { id: true, accountId: true, failingSince: true };
  const [count, oldest] = [
    await db.webhook.count({ where }),
    await db.webhook.findMany({ where, select, orderBy: { failingSince: 'asc' }, take: limit }),
  ];
  return { count, oldest: oldest as FailingEndpoint[] };
}

/** The providers whose checks are paused, and how their calls fail. */
export async function pausedProviders(
  db: Db,
  now: Date,
): Promise<{ provider: string; failure: string | null; reason: string; pausedUntil: Date | null }[]> {
  return db.providerPause.findMany({
    where: { pausedUntil: { gt: now } },
    select: { provider: true, failure: true, reason: true, pausedUntil: true },
    orderBy: { provider: 'asc' },
  });
}

/** A parcel that a provider is asked about, to ask about it once more; null if it has none. */
export async function parcelOf(
  db: Db,
  provider: string,
): Promise<{ number: string; carrier: string; hints: Hints | null } | null> {
  const check = await db.check.findFirst({
    where: { provider },
    orderBy: { nextCheckAt: 'desc' },
    select: { trackingNumber: true, carrier: true, hints: true },
  });
  return check && { number: check.trackingNumber, carrier: check.carrier, hints: check.hints as Hints | null };
}

const LOCK = columns({ isFree: column<boolean>('pg_try_advisory_xact_lock(l.number)') });

/** Whether two addresses lead to one database: an advisory lock that is taken in it is not free there. */
export function isOneDatabase(one: Db, other: Db): Promise<boolean> {
  const number = randomInt(2 ** 47);
  return one.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(${number}::bigint)`;
    const [lock] = await rows(
      other,
      LOCK,
      (list) => Prisma.sql`SELECT ${list} FROM (SELECT ${number}::bigint AS number) l`,
    );
    return lock?.isFree === false;
  });
}
