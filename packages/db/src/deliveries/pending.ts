import type { Language } from '@pts/core/languages/texts';
import { type NoticeKindAndDetails, recipientsOf } from '@pts/core/notices';
import type { Origin } from '@pts/core/process/origin';
import type { TrackingEventKind } from '@pts/core/tracking/status';
import type { EndpointKey, PendingEndpoint } from '@pts/core/webhook/endpoint';
import { passes } from '@pts/core/webhook/filter';
import { accountNoticeMessage, type PushedTracking, trackingMessage } from '@pts/core/webhook/push';
import {
  byIndex,
  column,
  columns,
  columnsOf,
  type Db,
  type HotTx,
  hotExecute,
  hotRows,
  type RowOf,
  rows,
} from '../connection.ts';
import { type AccountNotice, Prisma, type Webhook } from '../generated/client.ts';
import { DEADLINES } from '../pool.ts';
import type { WebhookEndpoint } from '../webhooks.ts';

const PENDING = columns({
  webhookId: column<string>('p.webhook_id'),
  accountId: column<string>('p.account_id'),
  dueAt: column<Date>('GREATEST(p.due_at, w.not_before)'),
  /** Null for one that accepts deliveries. */
  failingSince: column<Date | null>('w.failing_since'),
  /** Whether the endpoint is disabled or deleted, or was disabled and what was pending then is not dropped yet. */
  isClosed: column<boolean>('NOT COALESCE(w.enabled AND w.drop_before IS NULL, false)'),
});

/** An endpoint to which deliveries are pending, and when the first of them is due. */
export type PendingFor = RowOf<typeof PENDING>;

/**
 * Every endpoint for which something is pending. Hand-written: a loose scan, one step of a partial index per endpoint,
 * so that it costs the same for one pending delivery as for a million.
 */
export async function pendingEndpoints(db: Db): Promise<PendingFor[]> {
  return rows(
    db,
    PENDING,
    (list) => Prisma.sql`
    WITH RECURSIVE fresh AS (
      (SELECT webhook_id, account_id, created_at AS due_at FROM public.deliveries WHERE state = 'owed' AND fresh ORDER BY webhook_id, id LIMIT 1)
      UNION ALL
      SELECT n.* FROM fresh CROSS JOIN LATERAL (
        SELECT webhook_id, account_id, created_at FROM public.deliveries
        WHERE state = 'owed' AND fresh AND webhook_id > fresh.webhook_id ORDER BY webhook_id, id LIMIT 1) n
    ), late AS (
      (SELECT webhook_id, account_id, next_attempt_at AS due_at FROM public.deliveries WHERE state = 'owed' AND NOT fresh
       ORDER BY webhook_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT n.* FROM late CROSS JOIN LATERAL (
        SELECT webhook_id, account_id, next_attempt_at FROM public.deliveries
        WHERE state = 'owed' AND NOT fresh AND webhook_id > late.webhook_id ORDER BY webhook_id, next_attempt_at LIMIT 1) n
    ), pending AS (
      SELECT webhook_id, account_id, min(due_at) AS due_at FROM (SELECT * FROM fresh UNION ALL SELECT * FROM late) e GROUP BY 1, 2
    )
    SELECT ${list} FROM pending p LEFT JOIN LATERAL (
      SELECT * FROM public.webhooks WHERE id = p.webhook_id AND account_id = p.account_id LIMIT 1) w ON true`,
  );
}

/** That a delivery `d` is one of a short list. The bounds leave out partitions, which a list does not. */
const isIn = (list: 'page' | 'older') =>
  Prisma.raw(`d.message_id = ANY (ARRAY(SELECT message_id FROM ${list}))
      AND d.message_id >= (SELECT min(message_id) FROM ${list}) AND d.message_id <= (SELECT max(message_id) FROM ${list})`);

/** Since when a pending delivery `d` is pending: a replay and a redelivery begin again. */
const PENDING_SINCE = Prisma.raw(
  'CASE WHEN NOT d.fresh AND d.attempts = 0 THEN d.next_attempt_at ELSE d.created_at END',
);

/**
 * Drops up to `limit` pending deliveries of an endpoint that is disabled or deleted; of one that was enabled again,
 * those from before it was disabled.
 * @returns how many.
 */
export async function cancelPending(db: Db, { webhookId, accountId }: EndpointKey, limit: number): Promise<number> {
  // First attempts and late ones apart: each has an index, and all together have none.
  const some = (which: Prisma.Sql) => Prisma.sql`
    SELECT message_id FROM (
      SELECT message_id FROM public.deliveries d
      WHERE webhook_id = ${webhookId} AND account_id = ${accountId} AND state = 'owed' AND ${which}
        AND NOT EXISTS (SELECT 1 FROM public.webhooks w WHERE w.id = ${webhookId} AND w.account_id = ${accountId} AND w.enabled
          AND (w.drop_before IS NULL OR ${PENDING_SINCE} > w.drop_before))
      LIMIT ${limit} FOR UPDATE SKIP LOCKED) s`;
  return db.$executeRaw`
    WITH page AS MATERIALIZED (
      SELECT message_id FROM (${some(Prisma.sql`fresh`)} UNION ALL ${some(Prisma.sql`NOT fresh`)}) p LIMIT ${limit}
    )
    UPDATE public.deliveries d SET state = 'cancelled', next_attempt_at = NULL
    WHERE d.webhook_id = ${webhookId} AND d.account_id = ${accountId} AND ${isIn('page')}`;
}

/** Has endpoints send again from which everything is dropped that was pending when they were disabled. */
export async function endDropping(db: Db): Promise<void> {
  const none = (which: string) => Prisma.sql`NOT EXISTS (SELECT 1 FROM public.deliveries d
    WHERE d.webhook_id = w.id AND d.account_id = w.account_id AND d.state = 'owed' AND ${Prisma.raw(which)}
      AND ${PENDING_SINCE} <= w.drop_before)`;
  await db.$executeRaw`
    UPDATE public.webhooks w SET drop_before = NULL
    WHERE w.drop_before IS NOT NULL AND ${none('d.fresh')} AND ${none('NOT d.fresh')}`;
}

/** How far a walk over what is pending to an endpoint has come: the last first attempt, and the last late one. */
export type PendingPlace = { freshId: string; lateAt: Date; lateId: string };

const BEGINNING: PendingPlace = { freshId: '0', lateAt: new Date(0), lateId: '0' };
const SUPERSEDED = columns({
  dropped: column<number>('(SELECT count(*)::int FROM dropped)'),
  freshId: column<string | null>('(SELECT id::text FROM page WHERE fresh AND is_last)'),
  lateAt: column<Date | null>('(SELECT next_attempt_at FROM page WHERE NOT fresh AND is_last)'),
  lateId: column<string | null>('(SELECT id::text FROM page WHERE NOT fresh AND is_last)'),
});

/**
 * Drops the superseded updates among the next `limit` first attempts and the next `limit` late ones of a failing
 * endpoint with `supersede`: of a parcel's undelivered `tracking_update`s only the newest stays pending, since each is
 * a snapshot. The log shows what was dropped, and for what. Hand-written: it reads that page and the messages of its
 * parcels, however much is pending.
 * @param walk.after where the last call ended; null begins at the oldest.
 * @returns how many deliveries were dropped, and where to go on; null when what is pending was looked at to its end.
 */
export async function supersedePending(
  db: Db,
  { webhookId, accountId }: EndpointKey,
  { after, limit, now }: { after: PendingPlace | null; limit: number; now: Date },
): Promise<{ dropped: number; next: PendingPlace | null }> {
  const { freshId, lateAt, lateId } = after ?? BEGINNING;
  const next = (which: Prisma.Sql, order: Prisma.Sql) => Prisma.sql`
    (SELECT message_id, attempts, fresh, id, next_attempt_at, row_number() OVER (ORDER BY ${order}) = ${limit} AS is_last
    FROM public.deliveries
    WHERE webhook_id = ${webhookId} AND account_id = ${accountId} AND state = 'owed' AND ${which}
      AND EXISTS (SELECT 1 FROM public.webhooks
        WHERE id = ${webhookId} AND account_id = ${accountId} AND supersede AND failing_since IS NOT NULL)
    ORDER BY ${order} LIMIT ${limit})`;
  const fresh = next(Prisma.sql`fresh AND id > ${freshId}::bigint`, Prisma.sql`id`);
  const late = next(
    Prisma.sql`NOT fresh AND (next_attempt_at, id) > (${lateAt.toISOString()}::timestamptz, ${lateId}::bigint)`,
    Prisma.sql`next_attempt_at, id`,
  );
  const [found] = await rows(
    db.$within(DEADLINES.bulk),
    SUPERSEDED,
    (list) => Prisma.sql`
    WITH page AS MATERIALIZED (
      ${fresh} UNION ALL ${late}
    ), older AS MATERIALIZED (
      SELECT p.message_id, p.attempts, newer.id AS newest FROM page p CROSS JOIN LATERAL (
        SELECT tracking_id, seq, created_at FROM public.messages
        WHERE id = p.message_id AND account_id = ${accountId} AND event = 'tracking_update' LIMIT 1) m
      CROSS JOIN LATERAL (
        SELECT n.id FROM public.messages n CROSS JOIN LATERAL (
          SELECT 1 FROM public.deliveries WHERE message_id = n.id AND webhook_id = ${webhookId} AND account_id = ${accountId}
            AND state = 'owed' LIMIT 1) pending
        WHERE n.tracking_id = m.tracking_id AND n.seq > m.seq AND n.event = 'tracking_update'
          AND n.id >= public.history_id_at(m.created_at - interval '1 hour')
        ORDER BY n.seq DESC LIMIT 1) newer
      ORDER BY p.message_id
    ), dropped AS (
      UPDATE public.deliveries d SET state = 'superseded', next_attempt_at = NULL
      FROM older WHERE d.message_id = older.message_id AND d.webhook_id = ${webhookId} AND d.account_id = ${accountId}
        AND ${isIn('older')} AND d.state = 'owed' AND d.attempts = older.attempts
      RETURNING d.id, d.message_id, d.webhook_id, d.account_id, d.attempts, d.round, older.newest
    ), logged AS (
      INSERT INTO public.delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
        status_code, error, duration_ms)
      SELECT id, message_id, webhook_id, account_id, 'tracking_update', attempts + 1, round, ${now.toISOString()}::timestamptz,
        0, '["attempt.superseded",{"message":"' || newest || '"}]', 0
      FROM dropped ON CONFLICT DO NOTHING
    )
    SELECT ${list}`,
  );
  return { dropped: found?.dropped ?? 0, next: found ? placeAfter(found) : null };
}

/** One kind may be at its end before the other; it is then looked at from its beginning. */
function placeAfter({ freshId, lateAt, lateId }: RowOf<typeof SUPERSEDED>): PendingPlace | null {
  if (freshId === null && lateId === null) return null;
  return {
    freshId: freshId ?? BEGINNING.freshId,
    lateAt: lateAt ?? BEGINNING.lateAt,
    lateId: lateId ?? BEGINNING.lateId,
  };
}

/** An event that a change emitted, and what it goes back to, if that is known. */
export type Emitted = { event: TrackingEventKind; accountId: string; tracking: PushedTracking; origin?: Origin };

/**
 * Stores each event's exact body once, and a delivery for every enabled endpoint that subscribed to it and whose filter
 * lets it pass; those whose filter does not are named in the message. All deliveries of one call are in the order of
 * `emitted`, so a parcel's update is sent before the events that follow from it. An event that is stored already, as in
 * tables that were restored from different times, is left as it is.
 * @returns the endpoints to wake, each once.
 */
export async function storeMessages(
  tx: HotTx,
  emitted: readonly Emitted[],
  endpoints: readonly WebhookEndpoint[],
  now: Date,
): Promise<PendingEndpoint[]> {
  if (emitted.length === 0) return [];
  const pending: PendingDelivery[] = [];
  const messages = emitted.map((entry) => {
    const { accountId, event, tracking, origin } = entry;
    const { id, body, data } = trackingMessage(event, now, tracking);
    const problem = tracking.annotations?.problem;
    const filteredOut: string[] = [];
    for (const endpoint of endpoints) {
      if (endpoint.accountId !== accountId || !endpoint.events.includes(event)) continue;
      if (passes(endpoint.filter, data, problem))
        pending.push({ message_id: id, webhook_id: endpoint.id, account_id: accountId });
      else filteredOut.push(endpoint.id);
    }
    return {
      account_id: accountId,
      tracking_id: tracking.id,
      event,
      seq: tracking.seq,
      request_id: origin?.requestId,
      traceparent: origin?.traceparent,
      expected: event === 'tracking_delivered' ? tracking.annotations?.firstEstimate : undefined,
      filtered_out: filteredOut.length > 0 ? filteredOut : undefined,
      problem,
      ...{ id, body },
    };
  });
  await insertMessages(tx, messages, pending, now);
  const pendingFor = new Set(pending.map(({ webhook_id }) => webhook_id));
  return endpoints.flatMap(({ id, accountId, failingSince }) =>
    pendingFor.delete(id) ? [{ webhookId: id, accountId, isFailing: failingSince !== null }] : [],
  );
}

type PendingDelivery = { message_id: string; webhook_id: string; account_id: string };

/** @param messages rows, by the names of their columns; what is left out is null. */
async function insertMessages(
  tx: HotTx,
  messages: readonly { id: string; account_id: string; event: string; body: string }[],
  pending: readonly PendingDelivery[],
  now: Date,
): Promise<void> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const storing = Prisma.sql`
    INSERT INTO public.messages (id, account_id, tracking_id, event, seq, body, request_id, traceparent, expected, filtered_out,
      problem, created_at)
    SELECT id, account_id, tracking_id, event, seq, body, request_id, traceparent, expected, filtered_out, problem, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(messages)}::jsonb)
      AS r(id text, account_id text, tracking_id text, event text, seq int, body text, request_id text, traceparent text,
        expected jsonb, filtered_out jsonb, problem text)
    ON CONFLICT DO NOTHING`;
  await hotExecute(
    tx,
    pending.length === 0 ? storing : Prisma.sql`WITH stored AS (${storing}) ${delivering(pending, at)}`,
  );
}

function delivering(pending: readonly PendingDelivery[], at: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO public.deliveries (message_id, webhook_id, account_id, next_attempt_at, created_at)
    SELECT message_id, webhook_id, account_id, ${at}, ${at}
    FROM jsonb_to_recordset(${JSON.stringify(pending)}::jsonb) AS r(message_id text, webhook_id text, account_id text)
    ON CONFLICT (message_id, webhook_id) DO NOTHING`;
}

const UNSENT = columns({
  ...columnsOf<AccountNotice>('n')('id', 'accountId'),
  kind: column<NoticeKindAndDetails['kind']>('n.kind'),
  subject: column<AccountNotice['subject']>('n.subject'),
  details: column<NoticeKindAndDetails['details']>('n.details'),
  ...columnsOf<AccountNotice>('n')('since', 'until'),
  language: column<Language | null>('a.language'),
  isTest: column<boolean>('a.test_of IS NOT NULL'),
});

const SUBSCRIBER = columns({
  ...columnsOf<Webhook>('w')('id', 'accountId', 'enabled', 'failingSince'),
});

/**
 * Stores the pushes of up to `limit` notices that have none yet, and that they are stored, in one transaction. An
 * account of which no endpoint subscribes to notices has no message of them.
 * @returns how many notices, and the endpoints to wake.
 */
export async function sendNotices(
  db: Db,
  { limit, now }: { limit: number; now: Date },
): Promise<{ sent: number; pending: PendingEndpoint[] }> {
  return byIndex(db, async (tx) => {
    const unsent = await hotRows(
      tx,
      UNSENT,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.account_notices n JOIN public.accounts a ON a.id = n.account_id
        WHERE n.sent_at IS NULL ORDER BY n.id LIMIT ${limit} FOR UPDATE OF n SKIP LOCKED`,
    );
    if (unsent.length === 0) return { sent: 0, pending: [] };
    const accounts = [...new Set(unsent.map(({ accountId }) => accountId))];
    const subscribers = await hotRows(
      tx,
      SUBSCRIBER,
      (list) => Prisma.sql`
        SELECT ${list} FROM public.webhooks w
        WHERE w.account_id = ANY(${accounts}::text[]) AND 'account_notice' = ANY(w.events)`,
    );
    const pending = new Map<string, PendingEndpoint>();
    const deliveries: PendingDelivery[] = [];
    const messages = unsent.flatMap(({ accountId, language, isTest, ...notice }) => {
      const endpoints = subscribers.filter((endpoint) => endpoint.accountId === accountId);
      if (endpoints.length === 0) return [];
      // What is stored of a kind are its details.
      const known = notice as typeof notice & NoticeKindAndDetails;
      const message = accountNoticeMessage(now, known, { language: language ?? 'en', isTest });
      for (const { id, failingSince } of recipientsOf(known, endpoints)) {
        deliveries.push({ message_id: message.id, webhook_id: id, account_id: accountId });
        pending.set(id, { webhookId: id, accountId, isFailing: failingSince !== null });
      }
      return { ...message, account_id: accountId, event: 'account_notice' };
    });
    if (messages.length > 0) await insertMessages(tx, messages, deliveries, now);
    await hotExecute(
      tx,
      Prisma.sql`
        UPDATE public.account_notices SET sent_at = ${now.toISOString()}::timestamptz
        WHERE account_id = ANY(${accounts}::text[]) AND id = ANY(${unsent.map(({ id }) => id)}::text[])`,
    );
    return { sent: unsent.length, pending: [...pending.values()] };
  });
}
