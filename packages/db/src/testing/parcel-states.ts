import { hashApiKey } from '@pts/core/account';
import type { Db } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { addSearchRows } from './search-rows.ts';

/** The parcels of a test in a state that an upgrade, an import, an outage or a merchant of unusual size leaves. */
export type ParcelState = {
  count: number;
  /** `apart`: each check has its own time. `slots`: all wait for their slots. `new`: none has been answered. */
  checks: 'apart' | 'slots' | 'new';
  /** How many other accounts and providers there are, with ten parcels each. */
  others?: number;
};

export const NOW = new Date('2031-04-05T06:00:00Z');
export const PROVIDER = 'scripted';
/** An id in the order of its number. */
export const idOf = (n: number) => n.toString(16).padStart(24, '0');
export const ACCOUNT = idOf(7);
export const WEBHOOK = idOf(8);
/** The key of `ACCOUNT`. */
export const API_KEY = `tk_${'7'.repeat(48)}`;
/** Accounts without parcels, with a key and a webhook each. */
const QUIET_ACCOUNTS = 2000;

const SPARSE = [
  ...['checks', 'trackings', 'tracking_search', 'messages_floor', 'deliveries_floor', 'delivery_attempts_floor'],
  ...['accounts', 'api_keys', 'page_settings', 'webhooks', 'endpoint_turns'],
];

/** All checks were due in the five minutes before NOW, and everything has one delivery that is pending. */
export async function storeParcels(db: Db, { count, checks, others = 0 }: ParcelState): Promise<void> {
  const at = Prisma.sql`${NOW.toISOString()}::timestamptz`;
  const isSlots = checks === 'slots';
  // Nearly empty pages: to the planner, which counts pages, the tables are as large as with ten times the rows.
  for (const table of SPARSE) await db.$executeRawUnsafe(`ALTER TABLE ${table} SET (fillfactor = 10)`);
  await db.$executeRaw`
    INSERT INTO accounts (id, name, plan)
    SELECT lpad(to_hex(i), 24, '0'), 'x', 'enterprise' FROM generate_series(7, ${7 + others}::int) i`;
  await db.$executeRaw`
    INSERT INTO webhooks (id, account_id, url, events, secret_box)
    SELECT lpad(to_hex(i + 1), 24, '0'), lpad(to_hex(i), 24, '0'), 'https://example.com/' || i,
      '{tracking_update,tracking_delivered,tracking_exception}', 'sealed' FROM generate_series(7, ${7 + others}::int) i`;
  await storeQuietAccounts(db);
  await db.$executeRaw`INSERT INTO page_settings (account_id, enabled) SELECT id, true FROM accounts`;
  await db.$executeRaw`
    INSERT INTO api_keys (id, account_id, key_hash, hint)
    SELECT id, id, CASE id WHEN ${ACCOUNT} THEN ${hashApiKey(API_KEY)} ELSE sha256(id::bytea) END, 'tk_…' FROM accounts`;
  await db.$executeRaw`
    INSERT INTO endpoint_turns (webhook_id, holder, expires_at) SELECT id, '', ${at} - interval '10 years' FROM webhooks`;
  await db.$executeRaw`
    CREATE TABLE parcels AS
    SELECT lpad(to_hex(1000 + i), 24, '0') AS id, i, ${ACCOUNT}::text AS account_id, ${PROVIDER}::text AS provider
    FROM generate_series(0, ${count - 1}::int) i
    UNION ALL SELECT lpad(to_hex(1000 + i), 24, '0'), i, lpad(to_hex(8 + i % ${Math.max(1, others)}::int), 24, '0'), 'p' || i % ${Math.max(1, others)}::int
    FROM generate_series(${count}::int, ${count + 10 * others - 1}::int) i`;
  await db.$executeRaw`
    INSERT INTO trackings (id, account_id, tracking_number, carrier, detected, provider, status, sub_status, created_at, updated_at, answered_at)
    SELECT id, account_id, 'N' || i, 'yto', true, provider, '查询中', 'pending', ${at}, ${at}, ${at} FROM parcels`;
  await addSearchRows(db);
  await db.$executeRaw`
    INSERT INTO checks (tracking_id, account_id, provider, carrier, tracking_number, fingerprint, expires_at, next_check_at, ring, slot)
    SELECT id, account_id, provider, 'yto', 'N' || i, ${checks === 'new' ? null : 'seen'}::text, ${at} + interval '30 days',
      CASE WHEN ${isSlots} THEN '9999-12-31 00:00:00+00' ELSE ${at} - random() * interval '300 seconds' END,
      CASE WHEN ${isSlots} THEN 0 END, CASE WHEN ${isSlots} THEN i % 3000 END FROM parcels`;
  await db.$executeRaw`
    INSERT INTO check_slots (provider, ring, slot, due_at, period_seconds, floor_seconds, size, entered_at)
    SELECT provider, ring, slot, ${at} - interval '300 seconds' + slot * interval '100 milliseconds', 300, 0, count(*), ${at}
    FROM checks WHERE slot IS NOT NULL GROUP BY 1, 2, 3`;
  await db.$executeRaw`
    INSERT INTO messages (id, account_id, tracking_id, event, seq, body, created_at)
    SELECT id, account_id, id, 'tracking_update', 1, '{}', ${at} FROM parcels`;
  await db.$executeRaw`
    INSERT INTO deliveries (message_id, webhook_id, account_id, next_attempt_at, created_at)
    SELECT p.id, w.id, p.account_id, ${at}, ${at} FROM parcels p JOIN webhooks w USING (account_id) ORDER BY p.i`;
  await db.$executeRaw`
    INSERT INTO delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, started_at, status_code, error, duration_ms)
    SELECT -i, id, 'w', account_id, 'tracking_update', 1, ${at} - interval '1 day', 200, CASE WHEN i % 100 = 1 THEN 'failed' END, 5 FROM parcels`;
}

async function storeQuietAccounts(db: Db): Promise<void> {
  await db.$executeRaw`
    INSERT INTO accounts (id, name, plan)
    SELECT 'a' || lpad(to_hex(i), 23, '0'), 'x', 'free' FROM generate_series(1, ${QUIET_ACCOUNTS}::int) i`;
  await db.$executeRaw`
    INSERT INTO webhooks (id, account_id, url, events, secret_box)
    SELECT id, id, 'https://example.com/', '{tracking_update}', 'sealed' FROM accounts WHERE id LIKE 'a%'`;
}

/**
 * Counts of an account for a year by hour, and for longer by day; and places up to which events and attempts are to be
 * counted.
 */
export async function storeStats(db: Db, accountId: string): Promise<void> {
  const at = Prisma.sql`${NOW.toISOString()}::timestamptz`;
  await db.$executeRaw`
    INSERT INTO stat_counts (account_id, series, at, figure, bucket, amount)
    SELECT ${accountId}, series, date_bin(length, ${at}, 'epoch') - i * length, 'tracking_update', 0, 1
    FROM (VALUES ('hour', interval '1 hour'), ('day', interval '1 day')) g (series, length), generate_series(0, 9999) i`;
  await db.$executeRaw`
    INSERT INTO stat_transits SELECT ${accountId}, 'day', date_bin('1 day', ${at}, 'epoch') - i * interval '1 day', 'yto', 'CN-GD', 'CN-BJ',
      6 * n, 1, 0, 0, 0, 0 FROM generate_series(0, 999) i, generate_series(1, 10) n`;
  await db.$executeRaw`
    UPDATE stat_progress SET next_position = (SELECT max(position) FROM messages), next_attempt = 'g'`;
}

/** All checks leave their slots and are due individually; nothing is analyzed. */
export async function leaveSlots(db: Db): Promise<void> {
  await db.$executeRaw`
    UPDATE checks SET ring = NULL, slot = NULL, next_check_at = ${NOW.toISOString()}::timestamptz - random() * interval '300 seconds'`;
}

/** Not the slots: a provider has at most a few thousand, however many parcels it has. */
const TABLES = [
  ...['checks', 'trackings', 'tracking_search', 'webhooks', 'endpoint_turns'],
  ...['accounts', 'api_keys', 'page_settings'],
  ...['messages', 'deliveries', 'delivery_attempts'].flatMap((table) => [`${table}_floor`, `${table}_tail`]),
  ...['stat_counts', 'stat_transits'],
];

/**
 * For a database whose reads are counted or whose plans are looked at: autovacuum reads and analyzes tables at any
 * moment. It leaves out the catalogs, too: while it analyzes one, statements have to read the dead rows of those before
 * them.
 */
export async function withoutAutovacuum(db: Db): Promise<void> {
  await db.$executeRaw`DO $$ DECLARE name regclass; BEGIN
    PERFORM set_config('allow_system_table_mods', 'on', true);
    FOREACH name IN ARRAY (
      SELECT array_agg(oid) FROM pg_class WHERE relkind = 'r' AND NOT relisshared
        AND relnamespace IN ('public'::regnamespace, 'pg_catalog'::regnamespace))
    LOOP EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = false)', name); END LOOP; END $$`;
}

/** What a database has read of the tables that grow: rows, and pages with those of their indexes. */
export async function readSoFar(db: Db): Promise<{ rows: number; pages: number }> {
  await db.$executeRaw`SELECT pg_stat_force_next_flush()`;
  const [read] = await db.$queryRaw<{ rows: number; pages: number }[]>`
    SELECT sum(seq_tup_read + idx_tup_fetch)::float8 AS rows,
      sum(heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::float8 AS pages
    FROM pg_stat_user_tables JOIN pg_statio_user_tables USING (relid, relname) WHERE relname = ANY(${TABLES})`;
  return read ?? { rows: 0, pages: 0 };
}
