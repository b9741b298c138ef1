import { lowestId } from '@pts/core/id';
import { messageIdAfter, messageIdAt } from '@pts/core/webhook/push';
import { column, columns, type Db, type RowOf, rows, rowsByIndex, type Tx } from '../connection.ts';
import { type Message, Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';
import { forgetLeases } from './attempts.ts';

const DELETED = columns({ count: column<number>('count(*)::int') });
const MESSAGE_ID = columns({ id: column<Message['id']>('m.id') });

/** `overdue`: a partition of the usual width with older rows has ended by `before`. */
type Prune = { before: Date; overdue: Date; batch: number };

/**
 * Where the partitions end that are dropped as a whole (`rotateHistory`), even if that has not happened yet: their rows
 * are left to it. Null: there are none.
 */
const DROPPED = columns({
  attemptsUntil: column<Date | null>(endOf('delivery_attempts')),
  messagesUntil: column<Date | null>(endOf('messages')),
});
type Dropped = RowOf<typeof DROPPED>;

function endOf(table: string): string {
  return `to_timestamp((SELECT max(ends) FROM public.history_partitions WHERE "table" = '${table}' AND ends <= r.period)::bigint << 16)`;
}

/**
 * Deletes up to `batch` each of the attempts and messages (with their deliveries) from before a moment whose partition
 * is not dropped, of ended replays, and of leases that nobody takes any more. A message that is still pending stays.
 * Locked rows are skipped, so no writer waits.
 * @returns the number of deleted rows; fewer than `batch` means that none are left.
 */
export async function prune(db: Db, prune: Prune): Promise<number> {
  const bulk = db.$within(DEADLINES.bulk);
  const [dropped = { attemptsUntil: null, messagesUntil: null }] = await rows(
    bulk,
    DROPPED,
    (list) => Prisma.sql`
      SELECT ${list} FROM (SELECT public.history_period(LEAST(${prune.before.toISOString()}::timestamptz, now())) AS period) r`,
  );
  return (
    (await pruneAttempts(bulk, prune, dropped)) +
    (await pruneMessages(bulk, prune, dropped)) +
    (await pruneReplays(bulk, prune)) +
    (await forgetLeases(bulk, prune.batch))
  );
}

/**
 * Partitions are dropped as a whole (decision 0042). This is for ids that a wrong clock has put into a partition that
 * ends late. Ids follow time closely enough that the oldest rows are at the low end of the primary key.
 */
async function pruneAttempts(db: Db, { before, overdue, batch }: Prune, { attemptsUntil }: Dropped): Promise<number> {
  const from = attemptsUntil === null ? '' : lowestId(attemptsUntil);
  const limit = lowestId(overdue);
  const [deleted] = await rowsByIndex(
    db,
    DELETED,
    (list) => Prisma.sql`
    WITH deleted AS (
      DELETE FROM public.delivery_attempts WHERE id = ANY (ARRAY(
        SELECT id FROM public.delivery_attempts
        WHERE id <= (SELECT max(id) FROM (
            SELECT id FROM public.delivery_attempts WHERE id >= ${from} AND id < ${limit} ORDER BY id LIMIT ${batch}::int) oldest)
          AND id >= ${from} AND started_at < ${before.toISOString()}::timestamptz
        FOR UPDATE SKIP LOCKED)) AND id >= ${from} AND id < ${limit}
      RETURNING 1
    ) SELECT ${list} FROM deleted`,
  );
  return deleted?.count ?? 0;
}

/**
 * Deletes messages that are older than what the partitions should have (decision 0042), because of a wrong clock.
 * The second statement checks again under the lock: a redelivery may have made a message pending since the first one.
 * It notes how far the feed of each account has been removed, in one order of locks for all callers. With NOT EXISTS
 * the planner may read the whole table of deliveries; with a separate subquery it reads a few rows.
 */
async function pruneMessages(db: Db, { overdue, batch }: Prune, { messagesUntil }: Dropped): Promise<number> {
  const from = messagesUntil === null ? '' : messageIdAt(messagesUntil);
  const upTo = messageIdAfter(overdue);
  const remove = async (tx: Tx) => {
    // JIT compilation would take a hundred times as long as the statement.
    await tx.$executeRaw`SET LOCAL jit = off`;
    const old = await rows(
      tx,
      MESSAGE_ID,
      (list) => Prisma.sql`
      SELECT ${list} FROM public.messages m
      WHERE id >= ${from} AND id < ${upTo} AND created_at < ${overdue.toISOString()}::timestamptz
        AND (SELECT 1 FROM public.deliveries WHERE message_id = m.id AND state = 'owed' LIMIT 1) IS NULL
      ORDER BY created_at LIMIT ${batch} FOR UPDATE OF m SKIP LOCKED`,
    );
    if (old.length === 0) return 0;
    const [deleted] = await rows(
      tx,
      DELETED,
      (list) => Prisma.sql`
      WITH deleted AS (
        DELETE FROM public.messages m WHERE id = ANY (${old.map(({ id }) => id)}) AND id >= ${from} AND id < ${upTo}
          AND (SELECT 1 FROM public.deliveries WHERE message_id = m.id AND state = 'owed' LIMIT 1) IS NULL
        RETURNING account_id, xact, position
      ), last AS (
        SELECT DISTINCT ON (account_id) * FROM deleted ORDER BY account_id, xact DESC, position DESC
      ), known AS (
        SELECT id FROM public.accounts WHERE id IN (SELECT account_id FROM last) ORDER BY id FOR NO KEY UPDATE
      ), noted AS (
        UPDATE public.accounts a SET pruned_xact = last.xact, pruned_position = last.position
        FROM known JOIN last ON last.account_id = known.id
        WHERE a.id = known.id AND (a.pruned_xact IS NULL OR (a.pruned_xact, a.pruned_position) < (last.xact, last.position))
      )
      SELECT ${list} FROM deleted`,
    );
    return deleted?.count ?? 0;
  };
  return db.$transaction(remove, { timeout: DEADLINES.bulk });
}

async function pruneReplays(db: Db, { before, batch }: Prune): Promise<number> {
  return db.$executeRaw`
    DELETE FROM public.replays WHERE id = ANY (ARRAY(
      SELECT id FROM public.replays WHERE state <> 'running' AND finished_at < ${before.toISOString()}::timestamptz
      ORDER BY id LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}

/** Messages first: once they are gone, none of their deliveries can become pending. */
const TABLES = ['messages', 'deliveries', 'delivery_attempts'];

const ROTATED = columns({
  /** Partitions that were created and dropped. Null: another process is at it, or others use the table for long. */
  changed: column<number | null>('public.history_rotate(r.parent, r.days, r.at)'),
});

type Retention = { retentionDays: number; now: Date };

/**
 * Creates the partitions of the days ahead and drops expired ones (decision 0042). At most one process does it at a
 * time, and none waits for long, since all who use the table wait behind it. A fault of one table does not keep the
 * others from being rotated.
 * @returns whether anything changed.
 * @throws the first fault, after the others were rotated.
 */
export async function rotateHistory(db: Db, retention: Retention): Promise<boolean> {
  const faults: unknown[] = [];
  let isChanged = false;
  for (const table of TABLES) {
    try {
      if (await rotate(db.$within(DEADLINES.bulk), table, retention)) isChanged = true;
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return isChanged;
}

/** A transaction for each table: none is locked while another one is worked on. */
async function rotate(db: Db, table: string, { retentionDays, now }: Retention): Promise<boolean> {
  const [rotated] = await rows(
    db,
    ROTATED,
    (list) => Prisma.sql`
      SELECT ${list} FROM (SELECT ${table} AS parent, ${retentionDays}::int AS days, ${now.toISOString()}::timestamptz AS at) r`,
  );
  if (!rotated?.changed) return false;
  await db.$executeRaw`SELECT public.history_analyze(${table})`;
  return true;
}

const AGES = columns({
  table: column<string>('p."table"::text'),
  /** Until rows need the next partition, which should be there long before. */
  aheadSeconds: column<number>('extract(epoch FROM to_timestamp(max(p.begins) << 16) - now())::float8'),
  /** For how long rows should have been gone. */
  expiredSeconds: column<number>(`GREATEST(0, extract(epoch FROM LEAST(r.at, now()) - make_interval(days => r.days)
    - to_timestamp(min(p.ends) FILTER (WHERE p.begins IS NOT NULL OR p.is_filled) << 16)))::float8`),
});

type HistoryAge = RowOf<typeof AGES>;

/** Whether the partitions keep up with time. */
export function readHistoryAges(db: Db, { retentionDays, now }: Retention): Promise<HistoryAge[]> {
  return rows(
    db,
    AGES,
    (list) => Prisma.sql`
SELECT ${list} FROM (SELECT ${retentionDays}::int AS days, ${now.toISOString()}::timestamptz AS at) r, public.history_partitions p
GROUP BY r.days, r.at, p."table" ORDER BY p."table"`,
  );
}
