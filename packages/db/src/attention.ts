import {
  ATTENTION_REASONS,
  ATTENTION_RULES,
  type Attention,
  type AttentionDays,
  type AttentionReason,
  type AttentionSettings,
  attentionDays,
  attentionOf,
} from '@pts/core/attention';
import type { PageAddresses } from '@pts/core/page';
import { toUtcSeconds } from '@pts/core/time';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import { emittedBy, type LockedTracking, lockTrackings } from './checks/answers.ts';
import {
  column,
  columns,
  columnsOf,
  type Db,
  type HotTx,
  hotExecute,
  hotRows,
  instant,
  type RowOf,
  rows,
  rowsByIndexOnce,
} from './connection.ts';
import { storeMessages } from './deliveries/pending.ts';
import { type AttentionMark, type AttentionWatch, Prisma, type Tracking } from './generated/client.ts';
import { attentionRanges } from './shipments.ts';
import { enabledEndpoints } from './webhooks.ts';

/**
 * The enabled accounts that have asked for events of attention: by an endpoint that subscribes to them, or by a
 * setting.
 */
const WANTED = Prisma.sql`
  SELECT a.id FROM public.accounts a JOIN (
    SELECT account_id AS id FROM public.webhooks WHERE 'tracking_attention' = ANY(events)
    UNION SELECT id FROM public.accounts WHERE attention ->> 'events' = 'true') w ON w.id = a.id
  WHERE a.disabled_at IS NULL`;

/**
 * Begins to watch the accounts that have asked for events of attention, and ends it for those that no longer do. What
 * needed attention before causes no event.
 */
export async function followAttention(db: Db, now: Date): Promise<void> {
  await db.$executeRaw`
    WITH wanted AS MATERIALIZED (${WANTED}), ended AS (
      DELETE FROM public.attention_watches w WHERE NOT EXISTS (SELECT 1 FROM wanted WHERE id = w.account_id)
    )
    INSERT INTO public.attention_watches (account_id, since, next_at)
    SELECT id, ${instant(now)}, ${instant(now)} FROM wanted
    WHERE NOT EXISTS (SELECT 1 FROM public.attention_watches w WHERE w.account_id = wanted.id) ON CONFLICT DO NOTHING`;
}

const WATCH = columns({
  ...columnsOf<AttentionWatch>('w')('accountId', 'since'),
  settings: column<AttentionSettings | null>('(SELECT a.attention FROM public.accounts a WHERE a.id = w.account_id)'),
});

/** An account whose parcels are looked through for those that begin to need attention. */
export type Watch = RowOf<typeof WATCH>;

/**
 * Claims the accounts that were not looked through for the longest time. That of a killed process is due again later.
 */
export async function claimWatches(
  db: Db,
  { limit, everyMs, now }: { limit: number; everyMs: number; now: Date },
): Promise<Watch[]> {
  return rows(
    db,
    WATCH,
    (list) => Prisma.sql`
      WITH due AS MATERIALIZED (
        SELECT account_id FROM public.attention_watches WHERE next_at <= ${instant(now)}
        ORDER BY next_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      UPDATE public.attention_watches w SET next_at = ${instant(new Date(now.getTime() + everyMs))}
      FROM due WHERE w.account_id = due.account_id RETURNING ${list}`,
  );
}

const CLEARED = columns({ count: column<number>('(SELECT count(*)::int FROM cleared)') });

/**
 * Deletes the marks of parcels whose attention has ended: they need none, or another kind, or had news that they were
 * waiting for.
 * @returns how many.
 */
export async function clearMarks(db: Db, { accountId, settings }: Watch, limit: number, now: Date): Promise<number> {
  // A parcel that waits at a pickup point still does after a reminder.
  const days = { ...attentionDays(settings), available_for_pickup: 0 };
  const applies = ATTENTION_REASONS.map((reason) => {
    const ranges = ATTENTION_RULES[reason].flatMap((condition) => {
      const hadNoNews = condition.isPolled && condition.waits ? Prisma.sql` AND t.updated_at <= m.since` : Prisma.empty;
      return attentionRanges(condition, { now, days }).map((range) => Prisma.sql`(${range}${hadNoNews})`);
    });
    return Prisma.sql`WHEN ${reason} THEN ${Prisma.join(ranges, ' OR ')}`;
  });
  const [found] = await rowsByIndexOnce(
    db,
    CLEARED,
    (list) => Prisma.sql`
      WITH ended AS MATERIALIZED (
        SELECT m.tracking_id, m.since FROM public.attention_marks m LEFT JOIN LATERAL (
          SELECT * FROM public.trackings WHERE id = m.tracking_id AND account_id = ${accountId} OFFSET 0) t ON true
        WHERE m.account_id = ${accountId} AND (CASE m.reason ${Prisma.join(applies, ' ')} END) IS NOT TRUE LIMIT ${limit}
      ), cleared AS (
        DELETE FROM public.attention_marks m USING ended e
        WHERE m.account_id = ${accountId} AND m.tracking_id = e.tracking_id AND m.since = e.since RETURNING 1
      )
      SELECT ${list}`,
  );
  return found?.count ?? 0;
}

const FOUND = columns({ id: column<Tracking['id']>('f.id') });

/** Parcels that have begun to need attention since their account is watched, and have no mark that says so. */
export async function findAttention(
  db: Db,
  { accountId, since, settings }: Watch,
  limit: number,
  now: Date,
): Promise<string[]> {
  const days = attentionDays(settings);
  const rangesOf = (reason: AttentionReason) =>
    ATTENTION_RULES[reason].flatMap((condition) => attentionRanges(condition, { now, days }, since));
  const parts = ATTENTION_REASONS.flatMap((reason) =>
    rangesOf(reason).map(
      (range) => Prisma.sql`
        (SELECT t.id FROM public.trackings t
         LEFT JOIN LATERAL (SELECT reason FROM public.attention_marks
           WHERE account_id = ${accountId} AND tracking_id = t.id OFFSET 0) m ON true
         WHERE t.account_id = ${accountId} AND ${range} AND m.reason IS DISTINCT FROM ${reason}
         ORDER BY t.updated_at DESC, t.id DESC LIMIT ${limit})`,
    ),
  );
  const found = await rowsByIndexOnce(
    db,
    FOUND,
    (list) => Prisma.sql`SELECT ${list} FROM (${Prisma.join(parts, ' UNION ALL ')}) f LIMIT ${limit}`,
  );
  return found.map(({ id }) => id);
}

/** How many parcels were marked, and the endpoints with new pending deliveries. */
export type EmittedAttention = { marked: number; pending: PendingEndpoint[] };

/**
 * Marks parcels that need attention and stores the events that say so, in one transaction: a parcel that has a mark
 * with its reason is left as it is.
 */
export async function emitAttention(
  db: Db,
  { accountId, settings }: Watch,
  ids: readonly string[],
  { now, pages }: { now: Date; pages: PageAddresses | undefined },
): Promise<EmittedAttention> {
  return db.$hotTransaction(async (tx) => {
    const locked = await lockTrackings(
      tx,
      ids.map((trackingId) => ({ trackingId, accountId })),
    );
    // Judged again under the lock: there may have been news since the parcel was found.
    const needing = await attentionsOf(tx, locked, attentionDays(settings), now);
    const marked = await mark(tx, accountId, needing);
    const news = locked.flatMap((tracking) => {
      const attention = marked.has(tracking.id) ? needing.get(tracking.id) : undefined;
      return attention === undefined ? [] : eventsOf(tracking, attention, pages);
    });
    if (news.length === 0) return { marked: 0, pending: [] };
    const pending = await storeMessages(tx, news, await enabledEndpoints(tx, [accountId]), now);
    await hotExecute(
      tx,
      Prisma.sql`
        UPDATE public.trackings t SET seq = r.seq
        FROM jsonb_to_recordset(${JSON.stringify(news.map(({ tracking: { id, seq } }) => ({ id, seq })))}::jsonb) AS r(id text, seq int)
        WHERE t.id = r.id AND t.account_id = ${accountId} AND t.id = ANY(${news.map(({ tracking }) => tracking.id)}::text[])`,
    );
    return { marked: news.length, pending };
  });
}

const JUDGED = columns({
  ...columnsOf<Tracking>('t')('id', 'updatedAt', 'stoppedAt'),
});

/** Why locked parcels need attention, by their ids. */
async function attentionsOf(
  tx: HotTx,
  locked: readonly LockedTracking[],
  days: AttentionDays,
  now: Date,
): Promise<Map<string, Attention>> {
  const judged = await hotRows(
    tx,
    JUDGED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.trackings t WHERE t.id = ANY(${locked.map(({ id }) => id)}::text[])
        AND t.account_id = ANY(${locked.map(({ accountId }) => accountId)}::text[])`,
  );
  const times = new Map(judged.map(({ id, ...rest }) => [id, rest]));
  return new Map(
    locked.flatMap(({ id, subStatus, annotations, candidates }) => {
      const own = times.get(id);
      const isUndecided = candidates !== null;
      const { problem = null, estimate = null } = annotations ?? {};
      const parcel = own && { ...own, subStatus, problem, estimate, isUndecided };
      const attention = parcel && attentionOf(parcel, now, days);
      return attention ? [[id, attention] as const] : [];
    }),
  );
}

const MARKED = columns({ trackingId: column<AttentionMark['trackingId']>('m.tracking_id') });

/** @returns the parcels that did not have this mark. */
async function mark(
  tx: HotTx,
  accountId: string,
  needing: ReadonlyMap<string, { reason: AttentionReason; since: Date }>,
): Promise<Set<string>> {
  const marks = [...needing].map(([id, { reason, since }]) => ({ id, reason, since }));
  const marked = await hotRows(
    tx,
    MARKED,
    (list) => Prisma.sql`
      INSERT INTO public.attention_marks AS m (account_id, tracking_id, reason, since)
      SELECT w.account_id, r.id, r.reason, r.since
      FROM jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) AS r(id text, reason text, since timestamptz)
      JOIN public.attention_watches w ON w.account_id = ${accountId}
      ON CONFLICT (account_id, tracking_id) DO UPDATE SET reason = EXCLUDED.reason, since = EXCLUDED.since
      WHERE m.reason <> EXCLUDED.reason
      RETURNING ${list}`,
  );
  return new Set(marked.map(({ trackingId }) => trackingId));
}

function eventsOf(tracking: LockedTracking, { reason, since, message }: Attention, pages: PageAddresses | undefined) {
  const attention = { reason, since: toUtcSeconds(since), details: `${message}` };
  const change = { after: tracking, emits: ['tracking_attention' as const] };
  return emittedBy({ tracking, change }, null, pages).map((event) => ({
    ...event,
    tracking: { ...event.tracking, attention },
  }));
}
