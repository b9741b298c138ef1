import type { Intervals } from '@pts/core/tracking/ring';
import { accountsOf, type Hints, idsOf, JITTER, type ParcelKey } from '@pts/core/tracking/schedule';
import type { Db, Tx } from '../connection.ts';
import { column, columns, executeByIndex, rows, rowsByIndex } from '../connection.ts';
import { type Account, type Check, Prisma } from '../generated/client.ts';
import { byRing, CLAIMED_AT, DUE_AT, isMonitored, SLOT_JOIN } from './ring.ts';

/** What a claimed check has, of a table named `c`. */
export const CLAIMED = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  accountId: column<Check['accountId']>('c.account_id'),
  trackingNumber: column<Check['trackingNumber']>('c.tracking_number'),
  carrier: column<Check['carrier']>('c.carrier'),
  fingerprint: column<Check['fingerprint']>('c.fingerprint'),
  finalLook: column<Check['finalLook']>('c.final_look'),
  hints: column<Hints | null>('c.hints'),
  /** Why its last checks gave no answer that could be stored, and since when (ms since 1970); null while they succeed. */
  failing: column<{ failure: string; sinceMs: number } | null>(
    `CASE WHEN c.failure IS NOT NULL THEN jsonb_build_object(
      'failure', c.failure, 'sinceMs', floor(extract(epoch FROM c.failing_since) * 1000)) END`,
  ),
  /** Whether its news is pushed; null until a subscription was considered. */
  pushed: column<Check['pushed']>('c.pushed'),
  isUndecided: column<Check['isUndecided']>('c.undecided'),
  /** Not with every regular check: jobs stay small. */
  requestId: column<Check['requestId']>('CASE WHEN c.fingerprint IS NULL OR c.undecided THEN c.request_id END'),
  traceparent: column<Check['traceparent']>('c.traceparent'),
});

/** The same, of a check that was due at the time that an expression gives. */
export function claimedColumns(dueAt: string) {
  return { ...CLAIMED.columns, dueAtMs: column<number>(`(extract(epoch FROM ${dueAt}) * 1000)::float8`) };
}

/** The intervals of a provider's checks. */
export type Cadence = Intervals & {
  /** The floors of all enabled providers by name; others are not queried for undecided numbers. Absent: not known. */
  floors?: Readonly<Record<string, number>>;
};

/** Seconds from one check to the next, of a check named `c`: jittered, and never below the provider's floor. */
export function jittered(seconds: Prisma.Sql, { floorSeconds }: Cadence): Prisma.Sql {
  const [low, spread] = [1 - JITTER, 2 * JITTER];
  return Prisma.sql`make_interval(secs => GREATEST(
    ${floorSeconds}::float8, (${low}::float8 + random() * ${spread}::float8) * ${seconds}))`;
}

/** Seconds between two checks of a check named `c`: the safety net if its news is pushed, otherwise `polledSeconds`. */
export function regularSeconds(cadence: Cadence): Prisma.Sql {
  const { monitoredSeconds, idleSeconds, safetyNetSeconds } = cadence;
  return byRing({ pushed: safetyNetSeconds, monitored: monitoredSeconds, idle: idleSeconds });
}

/** Seconds between two checks of a polled check named `c`, by whether its account has an enabled webhook. */
export function polledSeconds({ monitoredSeconds, idleSeconds }: Cadence): Prisma.Sql {
  return byRing({ monitored: monitoredSeconds, idle: idleSeconds });
}

/** Checks that one call looks at: each that moves locks its slot, which cannot be claimed until the statement ends. */
const MOVED_TOGETHER = 1000;
const PLACE = columns({
  accountId: column<Account['id']>('a.id'),
  after: column<NonNullable<Account['monitorAfter']>>('a.monitor_after'),
});
const PAGE = columns({
  lastId: column<Check['trackingId'] | null>('max(tracking_id)'),
  size: column<number>('count(*)::int'),
});

/** Has the checks of an account moved into the monitored interval, in the background: it has an enabled webhook now. */
export async function wantMonitored(tx: Tx, accountId: string): Promise<void> {
  await tx.account.updateMany({ where: { id: accountId }, data: { monitorAfter: '' } });
}

/**
 * Moves the next checks of an account that is to be monitored into that interval, spread over it. No number is queried again before
 * its provider's floor. Doing the same again, as another process may at this moment, changes nothing.
 * @returns whether there was such an account.
 */
export async function moveToMonitored(
  db: Db,
  { monitoredSeconds, floors, now }: { monitoredSeconds: number; floors: Readonly<Record<string, number>>; now: Date },
): Promise<boolean> {
  // Any of them, so that small accounts do not wait for a large one.
  const [place] = await rows(
    db,
    PLACE,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.accounts a WHERE a.monitor_after IS NOT NULL ORDER BY random() LIMIT 1`,
  );
  if (!place) return false;
  const { accountId, after } = place;
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const [page] = await rows(
    db,
    PAGE,
    (list) => Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT tracking_id FROM public.checks WHERE account_id = ${accountId} AND tracking_id > ${after}
      ORDER BY tracking_id LIMIT ${MOVED_TOGETHER}
    ), p AS (
      SELECT c.tracking_id, f.floor, ${Prisma.raw(CLAIMED_AT)} AS claimed_at, ${Prisma.raw(DUE_AT)} AS due_at
      FROM public.checks c ${SLOT_JOIN}
      JOIN (SELECT key AS provider, value::float8 AS floor FROM jsonb_each_text(${JSON.stringify(floors)}::jsonb)) f
        ON f.provider = c.provider
      WHERE c.account_id = ${accountId} AND c.tracking_id = ANY (ARRAY(SELECT tracking_id FROM page))
        AND NOT c.final_look AND c.fingerprint IS NOT NULL AND c.pushed IS NOT TRUE AND ${Prisma.raw(isMonitored('c'))}
        AND ${Prisma.raw(DUE_AT)} > ${at} + make_interval(secs => ${monitoredSeconds}::float8)
    ), moved AS (
      UPDATE public.checks c SET next_check_at = LEAST(p.due_at, GREATEST(
        ${at} + make_interval(secs => random() * ${monitoredSeconds}::float8), p.claimed_at + make_interval(secs => p.floor)))
      FROM p WHERE c.account_id = ${accountId} AND c.tracking_id = p.tracking_id
    )
    SELECT ${list} FROM page`,
  );
  const next = page?.size === MOVED_TOGETHER ? page.lastId : null;
  // A statement of its own: requests that lock the account do not wait for the checks. One that began again is left at its beginning.
  await db.account.updateMany({ where: { id: accountId, monitorAfter: after }, data: { monitorAfter: next } });
  return true;
}

/** Claimed checks of a provider; those that have moved to another one since are not concerned. "IS TRUE": as in `claimByIds`. */
function claimedOf(provider: string, checks: readonly ParcelKey[]): Prisma.Sql {
  return Prisma.sql`c.tracking_id = ANY(${idsOf(checks)}::text[]) AND (c.provider = ${provider}) IS TRUE`;
}

/**
 * Releases claimed checks: they become due again at `at`, so checks that a failing provider did not answer are not lost. Where a
 * provider's floor applies, the caller has counted it.
 */
export async function giveBackChecks(db: Db, provider: string, checks: readonly ParcelKey[], at: Date): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET next_check_at = ${at.toISOString()}::timestamptz, claimed_at = p.claimed_at, slot = NULL
    FROM (
      SELECT c.tracking_id, c.account_id, ${Prisma.raw(CLAIMED_AT)} AS claimed_at FROM public.checks c ${SLOT_JOIN}
      WHERE ${claimedOf(provider, checks)} AND c.account_id = ANY(${accountsOf(checks)}::text[])
    ) p WHERE c.tracking_id = p.tracking_id AND c.account_id = p.account_id`,
  );
}

/** Schedules unanswered checks at their regular interval, not at the end of their lease. */
export async function keepInterval(
  db: Db,
  provider: string,
  checks: readonly ParcelKey[],
  { cadence, now }: { cadence: Cadence; now: Date },
): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET next_check_at = ${now.toISOString()}::timestamptz + ${jittered(regularSeconds(cadence), cadence)}
    WHERE ${claimedOf(provider, checks)} AND c.account_id = ANY(${accountsOf(checks)}::text[])`,
  );
}

/** Records why checks failed and since when, until `clearFailing` or until an answer is stored. */
export async function markFailing(
  db: Db,
  provider: string,
  failures: readonly (ParcelKey & { failure: string })[],
  now: Date,
): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks c SET failure = r.failure, failing_since = COALESCE(c.failing_since, ${now.toISOString()}::timestamptz)
    FROM jsonb_to_recordset(${JSON.stringify(failures)}::jsonb) AS r("trackingId" text, "accountId" text, failure text)
    WHERE c.tracking_id = r."trackingId" AND c.account_id = r."accountId"
      AND ${claimedOf(provider, failures)} AND c.account_id = ANY(${accountsOf(failures)}::text[])`,
  );
}

/** Clears the failures of checks that succeed again. */
export async function clearFailing(db: Db, checks: readonly ParcelKey[]): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    UPDATE public.checks SET failure = NULL, failing_since = NULL
    WHERE tracking_id = ANY(${idsOf(checks)}::text[]) AND account_id = ANY(${accountsOf(checks)}::text[])`,
  );
}

/** Stops polling parcels after their final check, which counts for the provider's floor. */
export async function endChecks(db: Db, checks: readonly ParcelKey[]): Promise<void> {
  await executeByIndex(
    db,
    Prisma.sql`
    WITH locked AS (
      SELECT id, account_id FROM public.trackings
      WHERE id = ANY(${idsOf(checks)}::text[]) AND account_id = ANY(${accountsOf(checks)}::text[])
      ORDER BY id FOR NO KEY UPDATE -- one lock order for all writers
    ), ended AS (
      DELETE FROM public.checks c USING locked l WHERE c.tracking_id = l.id AND c.account_id = l.account_id
        -- Not a parcel that has since been retracked or moved to another carrier: its polling has resumed.
        AND c.final_look
      RETURNING c.tracking_id, c.account_id, c.provider, c.claimed_at
    )
    UPDATE public.trackings t
    SET asked_before = COALESCE(t.asked_before, '{}'::jsonb) || jsonb_build_object(e.provider, e.claimed_at)
    FROM ended e WHERE t.id = e.tracking_id AND t.account_id = e.account_id AND e.claimed_at IS NOT NULL`,
  );
}

const KEY = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  accountId: column<Check['accountId']>('c.account_id'),
});

/** Up to `limit` parcels that had no news for too long. */
export async function findExpired(db: Db, limit: number, now: Date): Promise<ParcelKey[]> {
  return rowsByIndex(
    db,
    KEY,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c WHERE c.expires_at <= ${now.toISOString()}::timestamptz
      ORDER BY c.expires_at LIMIT ${limit}::int`,
  );
}
