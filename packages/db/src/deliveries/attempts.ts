import type { EndpointKey } from '@pts/core/webhook/endpoint';
import type { HotTx, RowOf } from '../connection.ts';
import { type DUE, type ENDPOINT, LOAD_DUE, TAKE_AND_LOAD } from './due-statements.ts';
import { endingLeases } from './endpoint-leases.ts';

/** Of an endpoint that is closed, only the id. */
type EndpointRow = RowOf<typeof ENDPOINT> & { deliveryId: null };
type DueRow = RowOf<typeof DUE> & { webhookId: string };

/** A due attempt, with everything needed to send it. */
export type DueDelivery = RowOf<typeof ENDPOINT> & RowOf<typeof DUE>;

export type DeliveryState = 'owed' | 'delivered' | 'exhausted' | 'cancelled' | 'superseded';

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
  error: string | null;
  durationMs: number;
  responseExcerpt: string | null;
  /** What was sent and received, for the debug view. */
  trace: object | null;
  state: DeliveryState;
  nextAttemptAt: Date | null;
};

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
 * Loads a page of due deliveries for each endpoint: first attempts in the order of their events, and separately the
 * late ones. Nothing for an endpoint that is disabled, deleted, or asked to wait (Retry-After).
 * Hand-written: for many endpoints at once, each read is a range of a partial index, whatever the backlog, and begins
 * after the last row read. What all deliveries of an endpoint share comes in a separate row.
 */
export async function loadDue({ $hot }: HotTx, requests: readonly LoadRequest[], now: Date): Promise<DueDelivery[]> {
  return dueOf(await $hot(LOAD_DUE, loadValues(requests, now))).due;
}

/**
 * Takes the leases of endpoints for a process and loads their pages, in one statement: only those leases that were free when the
 * statement began and that nobody else takes at the moment. The others are taken by `takeLeases`, and loaded after that.
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
  };
}

/** Leases of a process that end with a record. */
export type EndedLeases = { holder: string; webhookIds: readonly string[] };

/**
 * Records attempts and the deliveries that are pending after them. The attempt number decides races: of two records of the same
 * attempt only the first counts. An attempt that was in flight when its delivery was cancelled is still recorded. Deliveries are
 * found by their message and endpoint: a promoted server gives the numbers of deliveries that it has lost to others.
 */
export async function recordAttempts(
  { $hot }: HotTx,
  outcomes: readonly AttemptOutcome[],
  { holder, webhookIds }: EndedLeases = { holder: '', webhookIds: [] },
): Promise<void> {
  const rows = firstOfEach(outcomes).sort(byKey);
  const accounts = [...new Set(rows.map(({ accountId }) => accountId))];
  await $hot(RECORD_ATTEMPTS, [JSON.stringify(rows.map(made)), webhookIds, holder, accounts]);
}

/** The order in which deliveries are locked. */
function byKey(one: AttemptOutcome, other: AttemptOutcome): number {
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

const keyOf = ({ messageId, webhookId }: AttemptOutcome) => `${messageId} ${webhookId}`;

/** What the row of the delivery does not contain; nulls are omitted. */
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
 * The ids appear twice so that the planner finds the rows by key, even without statistics of the table; the lowest and the highest one
 * leave out other partitions, which a list does not. All are subqueries: given values, PostgreSQL would plan each execution, because a
 * plan for any value seems to read all partitions.
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
  )
  INSERT INTO public.delivery_attempts (delivery_id, message_id, webhook_id, account_id, event, attempt, round, started_at,
    status_code, error, duration_ms, response_excerpt, trace, next_attempt_at)
  SELECT * FROM moved`;

/** Two records of one attempt in the same batch would become one update, by an arbitrary one of them. */
function firstOfEach(outcomes: readonly AttemptOutcome[]): AttemptOutcome[] {
  const seen = new Set<string>();
  return outcomes.filter((outcome) => {
    const key = `${keyOf(outcome)} ${outcome.round} ${outcome.attempt}`;
    return !seen.has(key) && seen.add(key);
  });
}
