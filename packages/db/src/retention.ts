import type { Db } from './client.ts';

type Prune = { before: Date; batch: number };

/**
 * Deletes up to `batch` each of the attempts, messages (with their deliveries) and ended replays from before a moment. A
 * message that is still owed to somebody stays. Rows in use are passed over, so no writer waits.
 * @returns how many rows were deleted: less than `batch` says that there are no more.
 */
export async function prune(db: Db, prune: Prune): Promise<number> {
  return (await pruneAttempts(db, prune)) + (await pruneMessages(db, prune)) + (await pruneReplays(db, prune));
}

/** Ids follow time closely enough, so the oldest are at the low end of the primary key: no index on the time is paid for. */
async function pruneAttempts(db: Db, { before, batch }: Prune): Promise<number> {
  return db.$executeRaw`
    DELETE FROM delivery_attempts WHERE id IN (
      SELECT id FROM delivery_attempts
      WHERE id <= (SELECT max(id) FROM (SELECT id FROM delivery_attempts ORDER BY id LIMIT ${batch}) oldest)
        AND started_at < ${before.toISOString()}::timestamptz
      FOR UPDATE SKIP LOCKED)`;
}

/** The second statement looks again, under the lock: a redelivery may have made a message owed after the first has looked. */
async function pruneMessages(db: Db, { before, batch }: Prune): Promise<number> {
  return db.$transaction(async (tx) => {
    const rows = await tx.$queryRaw<{ id: string }[]>`
      SELECT id FROM messages m
      WHERE created_at < ${before.toISOString()}::timestamptz
        AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = m.id AND state = 'owed')
      ORDER BY created_at LIMIT ${batch} FOR UPDATE OF m SKIP LOCKED`;
    if (rows.length === 0) return 0;
    return tx.$executeRaw`
      DELETE FROM messages m WHERE id = ANY (${rows.map(({ id }) => id)})
        AND NOT EXISTS (SELECT 1 FROM deliveries WHERE message_id = m.id AND state = 'owed')`;
  });
}

async function pruneReplays(db: Db, { before, batch }: Prune): Promise<number> {
  return db.$executeRaw`
    DELETE FROM replays WHERE id IN (
      SELECT id FROM replays WHERE state <> 'running' AND finished_at < ${before.toISOString()}::timestamptz
      ORDER BY id LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;
}
