import type { Failure } from '@pts/core/tracking/answer';
import { BREAKER_PARCELS, BREAKER_THRESHOLD, MOMENT_SECONDS } from '@pts/core/tracking/outage';
import { column, columns, type Db, type RowOf, rows } from '../connection.ts';
import { Prisma, type ProviderPause as ProviderPauseRow } from '../generated/client.ts';

/** A provider outage, or a pause that an operator wants. */
export type ProviderPause = {
  provider: string;
  failures: number;
  pausedUntil: Date | null;
  /** How its calls fail; `PAUSED_BY_OPERATOR`: an operator has paused it. */
  failure: string | null;
  reason: string;
};

export async function listPauses(db: Db): Promise<ProviderPause[]> {
  return db.providerPause.findMany({
    select: { provider: true, failures: true, pausedUntil: true, failure: true, reason: true },
    orderBy: { provider: 'asc' },
  });
}

/** A call that failed, and its parcels. */
export type FailedCall = {
  provider: string;
  failure: Failure;
  /** In words, for operators. */
  reason: string;
  trackingIds: readonly string[];
  requestedAt: Date;
  now: Date;
};

const FAILURES = columns({
  /** Moments in a row at which calls failed, over all processes. */
  failures: column<ProviderPauseRow['failures']>('p.failures'),
  /** Different parcels that calls failed for; counted up to `BREAKER_PARCELS`. */
  parcels: column<number>('cardinality(p.parcels)'),
  pausedUntil: column<ProviderPauseRow['pausedUntil']>('p.paused_until'),
});

/**
 * The outage of a provider after a failed call was recorded. `isCounted`: this call was counted, and it alone
 * decides about the pause. Others of its moment were not.
 */
export type FailureCount = RowOf<typeof FAILURES> & { isCounted: boolean };

/**
 * Records a failed call. Of all calls that fail within one moment, in any process, one is counted: the database
 * decides. A call that was made before the present pause began is not counted.
 */
export async function countFailure(db: Db, call: FailedCall): Promise<FailureCount> {
  const [requestedAt, now] = [call.requestedAt.toISOString(), call.now.toISOString()];
  const trackingIds = call.trackingIds.slice(0, BREAKER_PARCELS);
  const [counted] = await rows(
    db,
    FAILURES,
    (list) => Prisma.sql`
    INSERT INTO public.provider_pauses AS p (provider, failures, failure, reason, updated_at, counted_at, parcels)
    VALUES (${call.provider}, 1, ${call.failure}, ${call.reason}, ${now}::timestamptz, ${requestedAt}::timestamptz, ${trackingIds}::text[])
    ON CONFLICT (provider) DO UPDATE SET
      -- The first pause is the shortest, however long it took to see that several parcels are concerned.
      failures = CASE WHEN p.paused_until IS NULL THEN LEAST(p.failures + 1, ${BREAKER_THRESHOLD}) ELSE p.failures + 1 END,
      failure = EXCLUDED.failure, reason = EXCLUDED.reason, updated_at = EXCLUDED.updated_at, counted_at = EXCLUDED.counted_at,
      parcels = ${withParcels(trackingIds)}
    WHERE (p.counted_at IS NULL OR p.counted_at <= EXCLUDED.counted_at - make_interval(secs => ${MOMENT_SECONDS}))
      AND (p.paused_until IS NULL OR p.paused_until <= EXCLUDED.counted_at)
    RETURNING ${list}`,
  );
  if (counted) return { ...counted, isCounted: true };
  const [known] = await rows(
    db,
    FAILURES,
    (list) => Prisma.sql`
    UPDATE public.provider_pauses p SET parcels = ${withParcels(trackingIds)} WHERE provider = ${call.provider}
    RETURNING ${list}`,
  );
  // No row: another call has succeeded since.
  return { failures: 0, parcels: 0, pausedUntil: null, ...known, isCounted: false };
}

function withParcels(trackingIds: readonly string[]): Prisma.Sql {
  return Prisma.sql`ARRAY(SELECT DISTINCT unnest(p.parcels || ${[...trackingIds]}::text[]) LIMIT ${BREAKER_PARCELS})`;
}

/** Pauses all checks of a provider; a longer existing pause stays. */
export async function pauseProvider(db: Db, provider: string, until: Date, now: Date): Promise<void> {
  await db.providerPause.updateMany({
    where: { provider, OR: [{ pausedUntil: null }, { pausedUntil: { lt: until } }] },
    data: { pausedUntil: until, updatedAt: now },
  });
}

/** How long to wait for a probe before another one is possible. */
const PROBE_LEASE_SECONDS = 60;

/**
 * Claims the probe, the one call that tests whether a provider has recovered: its pause has ended and
 * a check is due. One of several callers gets it; if its call is never answered, another one gets it later.
 */
export async function takeProbe(db: Db, provider: string, now: Date): Promise<boolean> {
  const at = now.toISOString();
  const overdue = new Date(now.getTime() - PROBE_LEASE_SECONDS * 1000).toISOString();
  const taken = await db.$executeRaw`
    UPDATE public.provider_pauses SET updated_at = ${at}::timestamptz
    WHERE provider = ${provider} AND paused_until <= ${at}::timestamptz
      AND (updated_at <= paused_until OR updated_at <= ${overdue}::timestamptz)
      AND (EXISTS (SELECT 1 FROM public.checks WHERE provider = ${provider} AND next_check_at <= ${at}::timestamptz)
        OR EXISTS (SELECT 1 FROM public.check_slots WHERE provider = ${provider} AND due_at <= ${at}::timestamptz
          AND (leased_until IS NULL OR leased_until <= ${at}::timestamptz)))`;
  return taken > 0;
}

/**
 * A call that was made at `requestedAt` succeeded: the provider's outage is over. A pause that began after `requestedAt`, or that
 * the call had not waited for, stays.
 * @returns whether it ended the outage.
 */
export async function clearPause(db: Db, provider: string, requestedAt: Date): Promise<boolean> {
  const { count } = await db.providerPause.deleteMany({
    where: { provider, OR: [{ pausedUntil: null }, { pausedUntil: { lte: requestedAt } }] },
  });
  return count > 0;
}

/** Takes one call from a provider's daily budget. @returns false when the day's budget is spent. */
export async function spendCall(db: Db, provider: string, budget: number, now: Date): Promise<boolean> {
  const day = now.toISOString().slice(0, 10);
  const spent = await db.$executeRaw`
    INSERT INTO public.provider_usage (provider, day, calls) VALUES (${provider}, ${day}::date, 1)
    ON CONFLICT (provider, day) DO UPDATE SET calls = provider_usage.calls + 1 WHERE provider_usage.calls < ${budget}::int`;
  return spent > 0;
}

/** The calls of a UTC day, by provider: counted only for those with a daily budget. */
export async function callsOfDay(db: Db, now: Date): Promise<Map<string, number>> {
  const day = new Date(now.toISOString().slice(0, 10));
  const rowsOfDay = await db.providerUsage.findMany({ where: { day }, select: { provider: true, calls: true } });
  return new Map(rowsOfDay.map(({ provider, calls }) => [provider, calls]));
}
