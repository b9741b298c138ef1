import type { CarrierInputs, ClaimedCheck } from '@pts/core/tracking/check';
import { FIRST_ANSWER_LEASE_SECONDS, JITTER } from '@pts/core/tracking/schedule';
import type { Db } from '../connection/client.ts';
import { DEADLINES, withDeadline } from '../connection/deadline.ts';
import { column, columns, rows } from '../connection/rows.ts';
import { type Check, Prisma } from '../generated/client.ts';

/** What a claimed check has, of a table named `c`. */
export const CLAIMED = columns({
  trackingId: column<Check['trackingId']>('c.tracking_id'),
  trackingNumber: column<Check['trackingNumber']>('c.tracking_number'),
  carrier: column<Check['carrier']>('c.carrier'),
  fingerprint: column<Check['fingerprint']>('c.fingerprint'),
  finalCheck: column<Check['finalCheck']>('c.final_look'),
  carrierInputs: column<CarrierInputs | null>('c.hints'),
  /** Why its last checks brought no answer that could be stored, and since when (ms since 1970); null while they do. */
  failing: column<{ failure: string; sinceMs: number } | null>(
    `CASE WHEN c.failure IS NOT NULL THEN jsonb_build_object(
      'failure', c.failure, 'sinceMs', floor(extract(epoch FROM c.failing_since) * 1000)) END`,
  ),
  /** Whether its news is pushed; null until a subscription was considered. */
  pushed: column<Check['pushed']>('c.pushed'),
  isUndecided: column<Check['isUndecided']>('c.undecided'),
});

const CLAIMED_NOW = columns({
  ...CLAIMED.columns,
  dueAtMs: column<number>('(extract(epoch FROM due.next_check_at) * 1000)::float8'),
});

export type Cadence = {
  /** Seconds between checks while the account has an enabled webhook. */
  monitoredSeconds: number;
  /** Seconds between checks otherwise. */
  idleSeconds: number;
  /** Minimum seconds between two queries of one number: the provider's floor. */
  floorSeconds: number;
  /** Seconds between checks of parcels whose news is pushed; absent if nothing is pushed. */
  safetyNetSeconds?: number;
  /** The floors of all enabled providers by name; others are not asked about undecided numbers. Absent: not known. */
  floors?: Readonly<Record<string, number>>;
};

type Claim = {
  provider: string;
  limit: number;
  cadence: Cadence;
  now: Date;
  /** Whether this is the probe of a provider after a pause; until it is answered, no other check is claimed. */
  isProbe?: boolean;
};

/** Seconds from one check to the next, of a check named `c`: jittered, and never below the provider's floor. */
export function jittered(seconds: Prisma.Sql, { floorSeconds }: Cadence): Prisma.Sql {
  const [low, spread] = [1 - JITTER, 2 * JITTER];
  return Prisma.sql`make_interval(secs => GREATEST(
    ${floorSeconds}::float8, (${low}::float8 + random() * ${spread}::float8) * ${seconds}))`;
}

/** Seconds between two checks of a check named `c`: the safety net where its news is pushed, else `polledSeconds`. */
export function regularSeconds(cadence: Cadence): Prisma.Sql {
  if (cadence.safetyNetSeconds === undefined) return polledSeconds(cadence);
  return Prisma.sql`CASE WHEN c.pushed THEN ${cadence.safetyNetSeconds}::float8 ELSE ${polledSeconds(cadence)} END`;
}

/** Seconds between two checks of a polled check named `c`, by whether its account has an enabled webhook. */
export function polledSeconds({ monitoredSeconds, idleSeconds }: Cadence): Prisma.Sql {
  return Prisma.sql`CASE
    WHEN EXISTS (SELECT 1 FROM public.webhooks w WHERE w.account_id = c.account_id AND w.enabled) THEN ${monitoredSeconds}::float8
    ELSE ${idleSeconds}::float8 END`;
}

/**
 * Takes due checks of one provider: those of `ids` first, then others, up to `limit`. Taking one moves it to its next
 * regular time, so an unchanged answer needs no further write; a first check that is never answered comes back after
 * a short lease. Two callers never take the same check. A paused provider has none, except for the probe afterwards.
 */
export async function claimChecks(
  db: Db,
  { provider, limit, cadence, now, isProbe = false }: Claim,
  ids: readonly string[] = [],
): Promise<ClaimedCheck[]> {
  const at = now.toISOString();
  const seconds = Prisma.sql`CASE
    WHEN c.fingerprint IS NULL THEN ${FIRST_ANSWER_LEASE_SECONDS}::float8 ELSE ${regularSeconds(cadence)} END`;
  return rows(
    db,
    CLAIMED_NOW,
    (list) => Prisma.sql`
    WITH open AS (
      SELECT 1 WHERE NOT EXISTS (
        SELECT 1 FROM public.provider_pauses WHERE provider = ${provider} AND paused_until > ${isProbe ? at : '-infinity'}::timestamptz)
    ), asked AS (
      SELECT tracking_id, next_check_at FROM public.checks
      WHERE tracking_id = ANY(${[...ids]}::text[]) AND provider = ${provider} AND next_check_at <= ${at}::timestamptz
        AND EXISTS (SELECT 1 FROM open)
      LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), others AS (
      SELECT tracking_id, next_check_at FROM public.checks
      WHERE provider = ${provider} AND next_check_at <= ${at}::timestamptz AND EXISTS (SELECT 1 FROM open)
        AND tracking_id <> ALL(${[...ids]}::text[])
      ORDER BY next_check_at LIMIT GREATEST(0, ${limit} - (SELECT count(*) FROM asked)) FOR UPDATE SKIP LOCKED
    ), due AS (SELECT * FROM asked UNION ALL SELECT * FROM others)
    UPDATE public.checks c SET
      claimed_at = ${at}::timestamptz,
      next_check_at = ${at}::timestamptz + ${jittered(seconds, cadence)}
    FROM due WHERE c.tracking_id = due.tracking_id
    RETURNING ${list}`,
  );
}

/**
 * Moves the checks of an account into the monitored interval, spread over it, after its first webhook was registered. No
 * number is queried again before its provider's floor.
 */
export async function useMonitoredInterval(
  db: Db,
  input: {
    accountId: string;
    monitoredSeconds: number;
    floors: readonly { provider: string; floorSeconds: number }[];
    now: Date;
  },
): Promise<void> {
  const at = input.now.toISOString();
  const { accountId, monitoredSeconds } = input;
  await db.$executeRaw`
    UPDATE public.checks c SET next_check_at = LEAST(c.next_check_at, GREATEST(
      ${at}::timestamptz + make_interval(secs => random() * ${monitoredSeconds}::float8),
      c.claimed_at + make_interval(secs => f."floorSeconds")))
    FROM jsonb_to_recordset(${JSON.stringify(input.floors)}::jsonb) AS f(provider text, "floorSeconds" float8)
    WHERE c.account_id = ${accountId} AND c.provider = f.provider AND NOT c.final_look AND c.fingerprint IS NOT NULL
      AND c.pushed IS NOT TRUE
      AND c.next_check_at > ${at}::timestamptz + make_interval(secs => ${monitoredSeconds}::float8)`;
}

/** Releases claimed checks: they are due again at `at`, so checks that a failing provider did not answer are not lost. */
export async function giveBackChecks(db: Db, trackingIds: readonly string[], at: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE public.checks SET next_check_at = ${at.toISOString()}::timestamptz WHERE tracking_id = ANY(${[...trackingIds]}::text[])`;
}

/** Schedules unanswered checks at their regular interval, not at the end of their lease. */
export async function keepRhythm(db: Db, trackingIds: readonly string[], cadence: Cadence, now: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE public.checks c SET next_check_at = ${now.toISOString()}::timestamptz + ${jittered(regularSeconds(cadence), cadence)}
    WHERE tracking_id = ANY(${[...trackingIds]}::text[])`;
}

/** Records why checks failed and since when, until `clearFailing` or until an answer is stored. */
export async function markFailing(
  db: Db,
  failures: readonly { trackingId: string; failure: string }[],
  now: Date,
): Promise<void> {
  await db.$executeRaw`
    UPDATE public.checks c SET failure = r.failure, failing_since = COALESCE(c.failing_since, ${now.toISOString()}::timestamptz)
    FROM jsonb_to_recordset(${JSON.stringify(failures)}::jsonb) AS r("trackingId" text, failure text)
    WHERE c.tracking_id = r."trackingId"`;
}

/** Clears the failures of checks that succeed again. */
export async function clearFailing(db: Db, trackingIds: readonly string[]): Promise<void> {
  await db.$executeRaw`
    UPDATE public.checks SET failure = NULL, failing_since = NULL WHERE tracking_id = ANY(${[...trackingIds]}::text[])`;
}

/** Stops polling parcels after their final check. */
export async function endChecks(db: Db, trackingIds: readonly string[]): Promise<void> {
  // Not a parcel that has since been retracked or moved to another carrier: its polling has resumed.
  await db.check.deleteMany({ where: { trackingId: { in: [...trackingIds] }, finalCheck: true } });
}

/** Up to `limit` parcels that had no news for too long. */
export async function findExpired(db: Db, limit: number, now: Date): Promise<string[]> {
  const rows = await db.check.findMany({
    where: { expiresAt: { lte: now } },
    select: { trackingId: true },
    take: limit,
  });
  return rows.map((row) => row.trackingId);
}

/** Checks that are due and not yet claimed, per provider, and since when the first of them is: the poller's backlog. */
export async function countDue(db: Db, now: Date): Promise<{ provider: string; due: number; oldestAt: Date }[]> {
  const rows = await withDeadline(DEADLINES.bulk, async () =>
    db.check.groupBy({
      by: ['provider'],
      where: { nextCheckAt: { lte: now } },
      _count: true,
      _min: { nextCheckAt: true },
    }),
  );
  return rows.map((row) => ({ provider: row.provider, due: row._count, oldestAt: row._min.nextCheckAt ?? now }));
}
