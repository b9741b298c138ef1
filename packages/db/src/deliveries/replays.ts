import { MOST_REPLAYS } from '@pts/core/webhook/limits';
import type { Db } from '../connection/client.ts';
import { DEADLINES, withDeadline } from '../connection/deadline.ts';
import { freshId } from '../connection/ids.ts';
import type { PendingEndpoint } from './messages.ts';
import { MAX_ROUNDS } from './redeliver.ts';

export type Replay = {
  id: string;
  webhookId: string;
  since: Date;
  until: Date;
  state: 'running' | 'done' | 'cancelled';
  /** Messages to send; null when there are too many to count. */
  total: number | null;
  /** Messages that were made pending so far. */
  replayed: number;
  createdAt: Date;
  finishedAt: Date | null;
};

/** An endpoint gets as many messages at a time, and the next when fewer than these are pending for it. */
export const REPLAY_PAGE = 500;
/** Replays that one statement feeds. */
const BATCH = 10;
/** More messages than this are not counted. */
const MOST_COUNTED = 50_000;
/** A transaction that stores a message is at most so much older or younger than the message says. */
const SKEW_MS = 5 * 60_000;

/**
 * Starts a replay of what the endpoint subscribes to. Messages are walked in the order of their transactions, in which
 * an event of a parcel follows those before it; where the walk begins and ends is read off messages near that time.
 * @returns null when another is running, or the endpoint has just been deleted.
 */
export async function startReplay(
  db: Db,
  input: { webhookId: string; accountId: string; events: readonly string[]; since: Date; until: Date; now: Date },
): Promise<Replay | null> {
  const { webhookId, accountId, since, until, now } = input;
  const [from, to] = [new Date(since.getTime() - SKEW_MS), new Date(until.getTime() + SKEW_MS)];
  const [range] = await db.$queryRaw<{ xact: bigint; endXact: bigint }[]>`
    SELECT COALESCE((SELECT xact FROM public.messages WHERE created_at <= ${from.toISOString()}::timestamptz
        ORDER BY created_at DESC LIMIT 1), 0) AS xact,
      COALESCE((SELECT xact FROM public.messages WHERE created_at >= ${to.toISOString()}::timestamptz ORDER BY created_at LIMIT 1),
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint) AS "endXact"`;
  if (!range) throw new Error('a query without a table has answered no row');
  const total = await countMessages(db, { ...input, ...range });
  const inserted = await db.$queryRaw<Replay[]>`
    INSERT INTO public.replays (id, webhook_id, account_id, since, until, events, total, xact, position, end_xact, created_at)
    SELECT ${freshId(now)}, w.id, ${accountId}, ${since.toISOString()}::timestamptz, ${until.toISOString()}::timestamptz,
      ${[...input.events]}::text[], ${total}::int, ${range.xact}::bigint, 0, ${range.endXact}::bigint,
      ${now.toISOString()}::timestamptz
    FROM public.webhooks w WHERE w.id = ${webhookId} FOR KEY SHARE
    ON CONFLICT (webhook_id) WHERE state = 'running' DO NOTHING
    RETURNING id, webhook_id AS "webhookId", since, until, state, total, replayed, created_at AS "createdAt",
      finished_at AS "finishedAt"`;
  return inserted[0] ?? null;
}

type Range = { accountId: string; events: readonly string[]; since: Date; until: Date; xact: bigint; endXact: bigint };

async function countMessages(db: Db, range: Range): Promise<number | null> {
  const [counts] = await db.$queryRaw<{ seen: number; matching: number }[]>`
    SELECT count(*)::int AS seen, count(*) FILTER (WHERE event = ANY (${[...range.events]}::text[])
      AND created_at >= ${range.since.toISOString()}::timestamptz
      AND created_at < ${range.until.toISOString()}::timestamptz)::int AS matching
    FROM (SELECT event, created_at FROM public.messages
      WHERE account_id = ${range.accountId} AND xact >= ${range.xact} AND xact < ${range.endXact}
      ORDER BY xact, position LIMIT ${MOST_COUNTED + 1}) m`;
  return counts && counts.seen <= MOST_COUNTED ? counts.matching : null;
}

/** An endpoint's replays, newest first. */
export async function listReplays(db: Db, accountId: string, webhookId: string): Promise<Replay[]> {
  const rows = await db.replay.findMany({
    where: { accountId, webhookId },
    orderBy: { createdAt: 'desc' },
    take: MOST_REPLAYS,
  });
  return rows as Replay[];
}

type ReplayKey = { accountId: string; webhookId: string; id: string };

/** Ends a replay if it is running; what it has made pending stays pending. */
export async function endReplay(db: Db, key: ReplayKey, now: Date): Promise<void> {
  await db.replay.updateMany({
    where: { ...key, state: 'running' },
    data: { state: 'cancelled', finishedAt: now },
  });
}

/** @returns null when the endpoint has no such replay. */
export async function findReplay(db: Db, key: ReplayKey): Promise<Replay | null> {
  return (await db.replay.findFirst({ where: key })) as Replay | null;
}

type Fed = { id: string; webhookId: string; isFailing: boolean; pending: number; seen: number };

/**
 * Gives every running replay's endpoint the next page, if few of its late deliveries are pending: a replay comes behind
 * live events and never fills the table. Any number of processes may call it at once.
 * @returns the endpoints for which something new is pending, and whether there may be more to feed at once.
 */
export async function feedReplays(db: Db, now: Date): Promise<{ pending: PendingEndpoint[]; more: boolean }> {
  const pending: PendingEndpoint[] = [];
  let more = false;
  for (let after = '', size = BATCH; size === BATCH; ) {
    const fed = await withDeadline(DEADLINES.bulk, () => feedBatch(db, after, now));
    for (const replay of fed) {
      if (replay.pending > 0) pending.push({ webhookId: replay.webhookId, isFailing: replay.isFailing });
      more ||= replay.seen === REPLAY_PAGE;
    }
    size = fed.length;
    after = fed.at(-1)?.id ?? '';
  }
  return { pending, more };
}

/**
 * Hand-written: one statement moves a replay's place and makes the page pending. The pages are due a millisecond apart, in
 * the order of their events. Each message is held, lest it be pruned meanwhile. A disabled endpoint's replay is over.
 */
async function feedBatch(db: Db, after: string, now: Date): Promise<Fed[]> {
  const at = now.toISOString();
  const first = new Date(now.getTime() - REPLAY_PAGE).toISOString();
  return db.$queryRaw<Fed[]>`
    WITH running AS (
      SELECT r.*, w.enabled, w.failing_since FROM public.replays r JOIN public.webhooks w ON w.id = r.webhook_id
      WHERE r.state = 'running' AND r.id > ${after} ORDER BY r.id LIMIT ${BATCH} FOR UPDATE OF r SKIP LOCKED
    ), roomy AS (
      SELECT * FROM running r WHERE enabled AND ${REPLAY_PAGE} > (
        SELECT count(*) FROM (SELECT 1 FROM public.deliveries
          WHERE webhook_id = r.webhook_id AND state = 'owed' AND NOT fresh LIMIT ${REPLAY_PAGE}) late)
    ), page AS (
      SELECT r.id, r.webhook_id, r.account_id, m.message_id, m.xact, m.position,
        m.event = ANY (r.events) AND m.created_at >= r.since AND m.created_at < r.until AS wanted,
        row_number() OVER (PARTITION BY r.id ORDER BY m.xact, m.position) AS place
      FROM roomy r CROSS JOIN LATERAL (
        SELECT id AS message_id, xact, position, event, created_at FROM public.messages
        WHERE account_id = r.account_id AND (xact, position) > (r.xact, r.position) AND xact < r.end_xact
        ORDER BY xact, position LIMIT ${REPLAY_PAGE}) m
    ), pending AS (
      INSERT INTO public.deliveries (message_id, webhook_id, account_id, fresh, next_attempt_at, created_at)
      SELECT p.message_id, p.webhook_id, p.account_id, false,
        ${first}::timestamptz + p.place * interval '1 millisecond', ${at}::timestamptz
      FROM page p CROSS JOIN LATERAL (SELECT 1 FROM public.messages WHERE id = p.message_id LIMIT 1 FOR KEY SHARE) kept
      WHERE p.wanted ORDER BY p.id, p.place
      ON CONFLICT (message_id, webhook_id) DO UPDATE SET state = 'owed', attempts = 0, round = deliveries.round + 1,
        fresh = false, next_attempt_at = excluded.next_attempt_at
      WHERE deliveries.state <> 'owed' AND deliveries.round < ${MAX_ROUNDS}
      RETURNING webhook_id
    ), seen AS (
      SELECT r.id, count(p.id)::int AS seen, (count(*) FILTER (WHERE p.wanted))::int AS wanted
      FROM roomy r LEFT JOIN page p ON p.id = r.id GROUP BY r.id
    ), moved AS (
      UPDATE public.replays r SET replayed = r.replayed + s.wanted,
        xact = COALESCE(l.xact, r.xact), position = COALESCE(l.position, r.position),
        state = CASE WHEN s.seen < ${REPLAY_PAGE} THEN 'done' ELSE r.state END,
        finished_at = CASE WHEN s.seen < ${REPLAY_PAGE} THEN ${at}::timestamptz END
      FROM seen s LEFT JOIN page l ON l.id = s.id AND l.place = s.seen
      WHERE r.id = s.id
    ), closed AS (
      UPDATE public.replays r SET state = 'cancelled', finished_at = ${at}::timestamptz
      FROM running o WHERE r.id = o.id AND NOT o.enabled
    )
    SELECT r.id, r.webhook_id AS "webhookId", r.failing_since IS NOT NULL AS "isFailing", COALESCE(s.seen, 0) AS seen,
      (SELECT count(*)::int FROM pending WHERE pending.webhook_id = r.webhook_id) AS pending
    FROM running r LEFT JOIN seen s ON s.id = r.id ORDER BY r.id`;
}
