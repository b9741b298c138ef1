import { lowestId } from '@pts/core/id';
import { messageIdAfter, messageIdAt } from '@pts/core/webhook/push';
import type { Db, Tx } from '../connection.ts';
import { column, columns, type RowOf, rows, rowsByIndex } from '../connection.ts';
import { type Message, Prisma } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';
import { forgetLeases } from './endpoint-leases.ts';

const DELETED = columns({ count: column<number>('count(*)::int') });
const MESSAGE_ID = columns({ id: column<Message['id']>('m.id') });

/** `overdue`: a partition of the usual width with older rows has ended by `before`. */
type Prune = { before: Date; overdue: Date; batch: number };

/**
 * Where the partitions end that are dropped as a whole (`rotateHistory`), even if that has not happened yet: their rows are left to it.
 * Null: there are none.
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
 * Deletes up to `batch` each of the attempts and messages (with their deliveries) from before a moment whose partition is not dropped,
 * of ended replays, and of leases that nobody takes any more. A message that is still pending stays. Locked rows are skipped, so no
 * writer waits.
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
 * Partitions are dropped as a whole (decision 0042). This is for ids that a wrong clock has put into a partition that ends late. Ids follow time closely enough that the oldest rows are at the low end of the primary key.
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
 * Of those that are older than what the partitions should have (decision 0042), because of a wrong clock.
 * The second statement checks again under the lock: a redelivery may have made a message pending since the first one. It notes
 * how far the feed of each account has been removed, in one order of locks for all callers.
 * With NOT EXISTS the planner may read the whole table of deliveries; with a separate subquery it reads a few rows.
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
