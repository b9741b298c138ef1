import type { EndpointKey } from '@pts/core/webhook/endpoint';
import type { PushFormat } from '@pts/core/webhook/push';
import { column, columns, columnsOf, type Db, type HotTx, hotExecute, hotRows, type RowOf } from '../connection.ts';
import { type Delivery, type EndpointLease, type Message, Prisma, type Webhook } from '../generated/client.ts';

/**
 * `owed`: pending. `exhausted`: given up after the last attempt. `cancelled`: dropped, because its endpoint was
 * disabled or deleted. `superseded`: dropped, because a newer update of its parcel was pending to a failing endpoint.
 */
export type DeliveryState = 'owed' | 'delivered' | 'exhausted' | 'cancelled' | 'superseded';

/** How long a lease lasts unless it is renewed, by the clock of the database. */
const LEASE_SECONDS = 5;

const EXPIRES_AT = Prisma.sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}::float8)`;

const LEASE = columns({ id: column<EndpointLease['webhookId']>('t.webhook_id') });
const TAKEN = columns({
  id: column<EndpointLease['webhookId']>('t.webhook_id'),
  heldBy: column<EndpointLease['holder']>('t.holder'),
});

/**
 * Takes the leases of endpoints for a process, so that no other process works for them. Hand-written: Prisma's upserts
 * take no condition. The rows are locked in one order, so that processes do not deadlock. If another process holds a
 * lease, `endLeases` tells that one that more is pending.
 * @returns the endpoints whose lease it got: those that no other process holds.
 */
export async function takeLeases(db: HotTx, holder: string, webhookIds: readonly string[]): Promise<string[]> {
  const isFree = Prisma.sql`(t.holder = EXCLUDED.holder OR t.expires_at <= clock_timestamp())`;
  const leases = await hotRows(
    db,
    TAKEN,
    (list) => Prisma.sql`
    INSERT INTO public.endpoint_turns AS t (webhook_id, holder, expires_at)
    SELECT DISTINCT id, ${holder}, ${EXPIRES_AT} FROM unnest(${[...webhookIds]}::text[]) AS id ORDER BY id
    ON CONFLICT (webhook_id) DO UPDATE SET
      is_wanted = NOT ${isFree},
      expires_at = CASE WHEN ${isFree} THEN EXCLUDED.expires_at ELSE t.expires_at END,
      holder = CASE WHEN ${isFree} THEN EXCLUDED.holder ELSE t.holder END
    RETURNING ${list}`,
  );
  return leases.flatMap(({ id, heldBy }) => (heldBy === holder ? id : []));
}

/** Renews leases that the process still holds. A row that another process has locked is left for the next time. */
export async function renewLeases(db: HotTx, holder: string, webhookIds: readonly string[]): Promise<void> {
  await hotExecute(
    db,
    Prisma.sql`
    UPDATE public.endpoint_turns SET expires_at = ${EXPIRES_AT}
    WHERE webhook_id = ANY (ARRAY(
      SELECT webhook_id FROM public.endpoint_turns WHERE webhook_id = ANY (${[...webhookIds]}::text[]) AND holder = ${holder}
      FOR UPDATE SKIP LOCKED))`,
  );
}

/**
 * Part of a statement: takes those of the leases $3 for the process $4 that are free and have not changed since the
 * statement began: then its snapshot shows everything that their last holder recorded. It does not wait for locks. The
 * ids twice: as in `RECORD_ATTEMPTS`.
 */
const TAKE_FREE_LEASES = `
  seen AS MATERIALIZED (SELECT webhook_id, xmin AS version FROM public.endpoint_turns WHERE webhook_id = ANY ($3::text[])),
  taken AS MATERIALIZED (
    UPDATE public.endpoint_turns t SET holder = $4, expires_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    WHERE webhook_id = ANY (ARRAY(
      SELECT free.webhook_id FROM seen
      JOIN public.endpoint_turns free ON free.webhook_id = seen.webhook_id AND free.xmin = seen.version
      WHERE free.webhook_id = ANY ($3::text[]) AND (free.holder = $4 OR free.expires_at <= clock_timestamp())
      FOR UPDATE OF free SKIP LOCKED))
    RETURNING t.webhook_id)`;

/**
 * Statement, or part of one: ends leases of a process, and returns the endpoints that others wanted meanwhile. The rows
 * stay, because `TAKE_FREE_LEASES` needs them. The time is cut to the column's milliseconds: rounded up, it would be in
 * the future.
 */
const endingLeases = (webhookIds: string, holder: string) => `
  UPDATE public.endpoint_turns t SET holder = '', expires_at = date_trunc('milliseconds', clock_timestamp()), is_wanted = false
  FROM (
    SELECT webhook_id, is_wanted FROM public.endpoint_turns WHERE webhook_id = ANY (${webhookIds}::text[]) AND holder = ${holder}
    ORDER BY webhook_id FOR UPDATE) AS held
  WHERE t.webhook_id = held.webhook_id AND t.webhook_id = ANY (${webhookIds}::text[])
  RETURNING CASE WHEN held.is_wanted THEN t.webhook_id END AS "webhookId"`;

/**
 * Ends leases of the process: any process can take them.
 * @returns the endpoints that another process wanted meanwhile.
 */
export async function endLeases({ $hot }: HotTx, holder: string, webhookIds: readonly string[]): Promise<string[]> {
  return wantedOf(await $hot(endingLeases('$1', '$2'), [webhookIds, holder]));
}

/** The endpoints in the rows of `endingLeases`. */
function wantedOf(rows: readonly unknown[]): string[] {
  return (rows as readonly { webhookId: string | null }[]).flatMap(({ webhookId }) => webhookId ?? []);
}

/**
 * Removes up to `batch` leases that nobody has taken for a day, for example of deleted endpoints.
 * @returns how many.
 */
export async function forgetLeases(db: Db, batch: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM public.endpoint_turns WHERE webhook_id = ANY (ARRAY(
      SELECT webhook_id FROM public.endpoint_turns WHERE expires_at < clock_timestamp() - interval '1 day'
      LIMIT ${batch} FOR UPDATE SKIP LOCKED))`;
}

/** The endpoints for which any process works at the moment. */
export async function endpointsAtWork(db: HotTx): Promise<string[]> {
  const held = await hotRows(
    db,
    LEASE,
    (list) => Prisma.sql`SELECT ${list} FROM public.endpoint_turns t WHERE t.expires_at > clock_timestamp()`,
  );
  return held.map(({ id }) => id);
}

/** The data that all deliveries of an endpoint share. */
const ENDPOINT = columns({
  webhookId: column<string>('e."webhookId"'),
  ...columnsOf<Webhook>('e')('accountId', 'url'),
  encryptedSecret: column<Webhook['encryptedSecret']>('e.secret_box'),
  retiredSecrets: column<Webhook['retiredSecrets']>('e.retired_secret_boxes'),
  retiredUntil: column<Webhook['retiredUntil']>('e.retired_secret_until'),
  failingSince: column<Webhook['failingSince']>('e.failing_since'),
  encryptedHeaders: column<Webhook['encryptedHeaders']>('e.headers_box'),
  format: column<PushFormat>('e.format'),
});

const DUE = columns({
  deliveryId: column<string>('d.id::text'),
  messageId: column<Delivery['messageId']>('d.message_id'),
  ...columnsOf<Message>('m')('trackingId', 'event', 'body'),
  /** The attempt that is due, 1 = first. */
  attempt: column<number>('d.attempts + 1'),
  /** The number of redeliveries; each restarts the retry schedule. */
  round: column<Delivery['round']>('d.round'),
  /** Whether this is the first attempt of a live event. */
  fresh: column<Delivery['fresh']>('d.fresh'),
  ...columnsOf<Message>('m')('requestId', 'traceparent'),
  /** When the event was stored, or this delivery of it by a replay. */
  storedAt: column<Delivery['createdAt']>('d.created_at'),
});

/** The row of an endpoint; if it is closed, only the id. */
type EndpointRow = RowOf<typeof ENDPOINT> & { deliveryId: null };

type DueRow = RowOf<typeof DUE> & { webhookId: string };

/** A due attempt, with everything needed to send it. */
export type DueDelivery = RowOf<typeof ENDPOINT> & RowOf<typeof DUE>;

/** Page sizes of first attempts and of late ones, for each endpoint. */
export type Page = { fresh: number; late: number };

/** An endpoint to load for, and the position reached so far. */
export type LoadRequest = EndpointKey & {
  /** The id of the last first attempt that was loaded: only later ones follow. Null: from the beginning. */
  after: string | null;
  /** Late ones that were loaded and are not yet recorded. */
  inFlight: readonly string[];
  page: Page;
};

/**
 * The limits and the one-row subqueries keep the planner from reading whole tables, also if it plans while they are
 * empty; "IS TRUE", from reading all messages of an account.
 */
const loadFrom = (before: string, requests: string) => `
  WITH ${before} endpoint AS MATERIALIZED (
    SELECT r.*, w.account_id, w.url, w.secret_box,
      w.retired_secret_boxes, w.retired_secret_until, w.failing_since, w.headers_box, w.format
    FROM jsonb_to_recordset($1::jsonb) AS r("webhookId" text, "accountId" text, after bigint, "inFlight" bigint[], fresh int, late int) ${requests}
    LEFT JOIN LATERAL (SELECT * FROM public.webhooks WHERE id = r."webhookId" AND (account_id = r."accountId") IS TRUE LIMIT 1) w
      ON w.enabled AND w.drop_before IS NULL AND (w.not_before IS NULL OR w.not_before <= $2::timestamptz)
  )
  SELECT ${ENDPOINT.list}, NULL AS "deliveryId", NULL AS "messageId", NULL AS "trackingId", NULL AS event, NULL AS body,
    NULL::int AS attempt, NULL::int AS round, NULL::bool AS fresh, NULL AS "requestId", NULL AS traceparent,
    NULL::timestamptz AS "storedAt"
  FROM endpoint e
  UNION ALL
  SELECT e."webhookId", NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ${DUE.list}
  FROM (SELECT * FROM endpoint WHERE account_id IS NOT NULL) e
  CROSS JOIN LATERAL (
    (SELECT * FROM public.deliveries WHERE webhook_id = e."webhookId" AND account_id = e.account_id
       AND state = 'owed' AND fresh AND id > COALESCE(e.after, 0)
     ORDER BY id LIMIT e.fresh)
    UNION ALL
    (SELECT * FROM public.deliveries WHERE webhook_id = e."webhookId" AND account_id = e.account_id
       AND state = 'owed' AND NOT fresh AND next_attempt_at <= $2::timestamptz AND id <> ALL (e."inFlight")
     ORDER BY next_attempt_at LIMIT e.late)
  ) d
  CROSS JOIN LATERAL (SELECT tracking_id, event, body, request_id, traceparent FROM public.messages
    WHERE id = d.message_id AND (account_id = d.account_id) IS TRUE LIMIT 1) m`;

const LOAD_DUE = loadFrom('', '');

const TAKE_AND_LOAD = loadFrom(`${TAKE_FREE_LEASES},`, 'JOIN taken ON taken.webhook_id = r."webhookId"');

/**
 * Loads a page of due deliveries for each endpoint: first attempts in the order of their events, and separately the
 * late ones. Nothing for an endpoint that is disabled, deleted, or asked to wait (Retry-After), nor for one that was
 * enabled again while `cancelPending` still drops what was pending before.
 * Hand-written: for many endpoints at once, each read is a range of a partial index, whatever the backlog, and begins
 * after the last row read. What all deliveries of an endpoint share comes in a separate row.
 */
export async function loadDue({ $hot }: HotTx, requests: readonly LoadRequest[], now: Date): Promise<DueDelivery[]> {
  return dueOf(await $hot(LOAD_DUE, loadValues(requests, now))).due;
}

/**
 * Takes the leases of endpoints for a process and loads their pages, in one statement: only those leases that were free
 * when the statement began and that nobody else takes at the moment. The others are taken by `takeLeases`, and loaded
 * after that.
 * @returns the endpoints whose lease it got, and their deliveries.
 */
export async function takeAndLoad({ $hot }: HotTx, holder: string, requests: readonly LoadRequest[], now: Date) {
  const ids = requests.map(({ webhookId }) => webhookId);
  return dueOf(await $hot(TAKE_AND_LOAD, [...loadValues(requests, now), ids, holder]));
}

function loadValues(requests: readonly LoadRequest[], now: Date): string[] {
  const flat = requests.map(({ page, ...request }) => ({ ...request, ...page }));
  return [JSON.stringify(flat), now.toISOString()];
}

function dueOf(rows: readonly unknown[]): { endpoints: string[]; due: DueDelivery[] } {
  const endpoints = new Map<string, EndpointRow>();
  const found = rows as readonly (EndpointRow | DueRow)[];
  for (const row of found) if (row.deliveryId === null) endpoints.set(row.webhookId, row);
  const due = found.flatMap((row) => {
    const endpoint = endpoints.get(row.webhookId);
    return row.deliveryId === null || !endpoint ? [] : dueDelivery(row, endpoint);
  });
  return { endpoints: [...endpoints.keys()], due };
}

/** Field by field: spreading two objects into one takes as long as signing. */
function dueDelivery(row: DueRow, endpoint: EndpointRow): DueDelivery {
  return {
    deliveryId: row.deliveryId,
    messageId: row.messageId,
    webhookId: row.webhookId,
    accountId: endpoint.accountId,
    trackingId: row.trackingId,
    event: row.event,
    body: row.body,
    attempt: row.attempt,
    round: row.round,
    fresh: row.fresh,
    requestId: row.requestId,
    traceparent: row.traceparent,
    storedAt: row.storedAt,
    url: endpoint.url,
    encryptedSecret: endpoint.encryptedSecret,
    retiredSecrets: endpoint.retiredSecrets,
    retiredUntil: endpoint.retiredUntil,
    failingSince: endpoint.failingSince,
    encryptedHeaders: endpoint.encryptedHeaders,
    format: endpoint.format,
  };
}

/** The result of an attempt. */
export type AttemptOutcome = {
  deliveryId: string;
  messageId: string;
  webhookId: string;
  accountId: string;
  event: string;
  attempt: number;
  round: number;
  startedAt: Date;
  /** 0: no answer. */
  statusCode: number;
  /** A stored message. */
  error: string | null;
  durationMs: number;
  responseExcerpt: string | null;
  /** The request and the response, for the debug view. */
  trace: object | null;
  state: DeliveryState;
  nextAttemptAt: Date | null;
};

/** Leases of a process that end with a record. */
type EndedLeases = { holder: string; webhookIds: readonly string[] };

/**
 * Records attempts and the deliveries that are pending after them. The attempt number decides races: of two records of
 * the same attempt only the first counts. An attempt that was in flight when its delivery was cancelled is still
 * recorded. Deliveries are found by message and endpoint, not by id: a promoted server gives the ids of deliveries that
 * it has lost to others.
 * @returns those of the endpoints with ended leases that another process wanted meanwhile.
 */
export async function recordAttempts(
  { $hot }: HotTx,
  outcomes: readonly AttemptOutcome[],
  { holder, webhookIds }: EndedLeases = { holder: '', webhookIds: [] },
): Promise<string[]> {
  const rows = firstOfEach(outcomes).sort(byKey);
  const accounts = [...new Set(rows.map(({ accountId }) => accountId))];
  return wantedOf(await $hot(RECORD_ATTEMPTS, [JSON.stringify(rows.map(made)), webhookIds, holder, accounts]));
}

/** The order in which deliveries are locked. */
function byKey(one: AttemptOutcome, other: AttemptOutcome): number {
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

const keyOf = ({ messageId, webhookId }: AttemptOutcome) => `${messageId} ${webhookId}`;

/** The fields that the row of the delivery does not contain; nulls are omitted. */
function made(outcome: AttemptOutcome): object {
  return {
    messageId: outcome.messageId,
    webhookId: outcome.webhookId,
    accountId: outcome.accountId,
    event: outcome.event,
    attempt: outcome.attempt,
    round: outcome.round,
    startedAt: outcome.startedAt,
    statusCode: outcome.statusCode,
    error: outcome.error ?? undefined,
    durationMs: outcome.durationMs,
    responseExcerpt: outcome.responseExcerpt ?? undefined,
    trace: outcome.trace ?? undefined,
    state: outcome.state,
    nextAttemptAt: outcome.nextAttemptAt ?? undefined,
  };
}

/**
 * The ids appear twice so that the planner finds the rows by key, even without statistics of the table; the lowest and
 * the highest one leave out other partitions, which a list does not. All are subqueries: with parameters instead,
 * PostgreSQL would plan each execution again, because its generic plan seems to read all partitions.
 */
const RECORD_ATTEMPTS = `
  WITH ended AS (${endingLeases('$2', '$3')}), made AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS r(
      "messageId" text, "webhookId" text, "accountId" text, event text, attempt int, round int, "startedAt" timestamptz,
      "statusCode" int, error text, "durationMs" int, "responseExcerpt" text, trace jsonb, state text, "nextAttemptAt" timestamptz)
  ), moved AS (
    UPDATE public.deliveries d SET attempts = made.attempt, fresh = false,
      state = CASE WHEN made.state = 'owed' THEN d.state ELSE made.state END,
      next_attempt_at = CASE WHEN d.state = 'owed' THEN made."nextAttemptAt" END
    FROM made
    WHERE d.message_id = made."messageId" AND d.webhook_id = made."webhookId" AND d.account_id = made."accountId"
      AND d.account_id = ANY ($4::text[])
      AND d.message_id = ANY (ARRAY(SELECT "messageId" FROM made))
      AND d.message_id >= (SELECT min("messageId") FROM made) AND d.message_id <= (SELECT max("messageId") FROM made)
      AND d.attempts = made.attempt - 1 AND d.round = made.round
      AND d.state IN ('owed', 'cancelled')
    RETURNING d.id, d.message_id, d.webhook_id, d.account_id, made.event, made.attempt, made.round, made."startedAt",
      made."statusCode", made.error, made."durationMs", made."responseExcerpt", made.trace, made."nextAttemptAt"
  ), stored AS (
  INSERT INTO public.delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
    status_code, error, duration_ms, response_excerpt, trace, next_attempt_at)
  SELECT * FROM moved)
  SELECT "webhookId" FROM ended`;

/** Two records of one attempt in the same batch would become one update, by an arbitrary one of them. */
function firstOfEach(outcomes: readonly AttemptOutcome[]): AttemptOutcome[] {
  const seen = new Set<string>();
  return outcomes.filter((outcome) => {
    const key = `${keyOf(outcome)} ${outcome.round} ${outcome.attempt}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** A push without a delivery: sent once and recorded in the log. */
export type Ping = Omit<AttemptOutcome, 'deliveryId' | 'event' | 'round' | 'state' | 'nextAttemptAt'>;

/** Records pings for the delivery log. */
export async function recordPings(db: Db, pings: readonly Ping[]): Promise<void> {
  const data = pings.map(({ trace, ...ping }) => ({ ...ping, event: 'ping', trace: trace ?? Prisma.DbNull }));
  await db.deliveryAttempt.createMany({ data });
}
