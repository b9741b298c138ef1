import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { Prisma, type Subscription } from '../generated/client.ts';
import type { SubscribedNumber } from './wanted.ts';
import { IS_WATCHED } from './watchers.ts';

/** A release that is lost with its process is repeated after this. */
const LEASE_SECONDS = 120;
/** A registration may still be in progress for this long. */
const SETTLED_SECONDS = 600;

const RELEASABLE = columns({
  carrier: column<Subscription['carrier']>('s.carrier'),
  trackingNumber: column<Subscription['trackingNumber']>('s.tracking_number'),
  remoteId: column<Subscription['remoteId']>('s.remote_id'),
  failures: column<Subscription['failures']>('s.failures'),
});
export type ReleasableNumber = RowOf<typeof RELEASABLE>;

type Releases = { provider: string; holdSeconds: number; restarts: number; now: Date };

/** Numbers that nobody has watched for `holdSeconds`, and that can be resumed if they are watched again. */
function isReleasable({ provider, holdSeconds, restarts, now }: Releases): Prisma.Sql {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  // A number that has reached the limit of resumptions stays registered.
  return Prisma.sql`s.provider = ${provider} AND s.unwatched_since <= ${at} - make_interval(secs => ${holdSeconds}::float8)
    AND s.state <> 'released' AND (s.state <> 'releasing' OR s.retry_at <= ${at})
    AND (${restarts}::int = 0 OR s.restarts < ${restarts}::int)
    AND (s.subscribed_at IS NOT NULL OR s.pushed_at IS NOT NULL OR s.failures > 0) AND NOT ${IS_WATCHED}`;
}

/** Whether there are numbers to release. */
export async function hasReleases(db: Db, releases: Releases): Promise<boolean> {
  const found = await rows(
    db,
    RELEASABLE,
    (list) => Prisma.sql`SELECT ${list} FROM public.subscriptions s WHERE ${isReleasable(releases)} LIMIT 1`,
  );
  return found.length > 0;
}

/** Takes up to `limit` numbers to release. From here on, nothing relies on their subscriptions. */
export async function claimReleases(db: Db, releases: Releases & { limit: number }): Promise<ReleasableNumber[]> {
  return rows(
    db,
    RELEASABLE,
    (list) => Prisma.sql`
    WITH due AS (
      SELECT tracking_number, carrier FROM public.subscriptions s WHERE ${isReleasable(releases)}
      ORDER BY unwatched_since LIMIT ${releases.limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE public.subscriptions s SET state = 'releasing', updated_at = ${releases.now.toISOString()}::timestamptz,
      retry_at = ${releases.now.toISOString()}::timestamptz + make_interval(secs => ${LEASE_SECONDS})
    FROM due WHERE s.tracking_number = due.tracking_number AND s.carrier = due.carrier AND s.provider = ${releases.provider}
    RETURNING ${list}`,
  );
}

/** The outcome of a claimed number. `retryAt`: of a failed one. */
export type ReleaseRecord = SubscribedNumber & {
  outcome: 'released' | 'unknown' | 'failed';
  retryAt?: Date | undefined;
};

/**
 * Records the outcomes of claimed numbers. A number that is watched again by now is wanted again, whatever the outcome. Of the
 * others, a released one is kept if it can be resumed, and otherwise deleted like an unknown one; a failed one is tried again.
 */
export async function recordReleases(
  db: Db,
  provider: string,
  records: readonly ReleaseRecord[],
  { isResumable, now }: { isResumable: boolean; now: Date },
): Promise<void> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const list = Prisma.sql`jsonb_to_recordset(${JSON.stringify(records)}::jsonb)
    AS r(carrier text, "trackingNumber" text, outcome text, "retryAt" timestamptz)`;
  const isOne = Prisma.sql`s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
    AND s.state = 'releasing'`;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE public.subscriptions s SET
        state = CASE WHEN ${IS_WATCHED} THEN 'wanted' WHEN r.outcome = 'failed' THEN 'releasing' ELSE 'released' END,
        retry_at = CASE WHEN ${IS_WATCHED} THEN ${at} WHEN r.outcome = 'failed' THEN r."retryAt" END,
        failures = CASE WHEN r.outcome = 'failed' AND NOT ${IS_WATCHED} THEN s.failures + 1 ELSE 0 END,
        -- After a failed call it may have stopped or not: resuming it is right in either case.
        stopped_at = CASE WHEN r.outcome <> 'unknown' THEN COALESCE(s.stopped_at, ${at}) END, updated_at = ${at}
      FROM ${list} WHERE ${isOne}`;
    await tx.$executeRaw`
      DELETE FROM public.subscriptions s USING ${list}
      WHERE s.tracking_number = r."trackingNumber" AND s.provider = ${provider} AND s.carrier = r.carrier
        AND s.state = 'released' AND (r.outcome = 'unknown' OR NOT ${isResumable})`;
  });
}

/**
 * Deletes up to `limit` numbers that nobody has watched for `holdSeconds` and that need no release: never registered, or
 * (`isAll`) with a provider that has no call for it.
 * @returns how many.
 */
export async function forgetUnwatched(
  db: Db,
  { provider, holdSeconds, isAll, limit, now }: Omit<Releases, 'restarts'> & { isAll: boolean; limit: number },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  return db.$executeRaw`
    DELETE FROM public.subscriptions WHERE (tracking_number, provider, carrier) IN (
      SELECT tracking_number, provider, carrier FROM public.subscriptions s
      WHERE s.provider = ${provider} AND s.unwatched_since <= ${at} - make_interval(secs => ${holdSeconds}::float8)
        AND s.updated_at <= ${at} - make_interval(secs => ${SETTLED_SECONDS})
        AND (${isAll} OR (s.subscribed_at IS NULL AND s.pushed_at IS NULL AND s.failures = 0)) AND NOT ${IS_WATCHED}
      ORDER BY unwatched_since LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
