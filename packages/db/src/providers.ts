import type { StoredToken, TokenStore } from '@pts/core/provider';
import type { Failure } from '@pts/core/tracking/answer';
import { BREAKER_PARCELS, BREAKER_THRESHOLD, MOMENT_SECONDS, PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import { column, columns, type Db, executeByIndex, hotRows, type RowOf, rows, rowsByIndex } from './connection.ts';
import { Prisma, type ProviderPause as ProviderPauseRow } from './generated/client.ts';

/** A provider outage, or a pause that an operator wants. */
export type ProviderPause = Pick<ProviderPauseRow, 'provider' | 'failures' | 'pausedUntil' | 'failure' | 'reason'>;

export async function listPauses(db: Db): Promise<ProviderPause[]> {
  return db.providerPause.findMany({
    select: { provider: true, failures: true, pausedUntil: true, failure: true, reason: true },
    orderBy: { provider: 'asc' },
  });
}

/** A call that failed, and its parcels. */
type FailedCall = {
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
    INSERT INTO public.provider_pauses AS p (provider, failures, failure, reason, updated_at, began_at, counted_at, parcels)
    VALUES (${call.provider}, 1, ${call.failure}, ${call.reason}, ${now}::timestamptz, ${now}::timestamptz, ${requestedAt}::timestamptz,
      ${trackingIds}::text[])
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
 * A call that was made at `requestedAt` succeeded: the provider's outage is over. A pause that began after
 * `requestedAt`, or that the call had not waited for, stays.
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

/**
 * Pauses all calls to a provider until a time; any other pause is replaced, and what waited for the end of a longer one
 * becomes due at the end of this one. Nothing but `endPause` lifts it before: calls that were made earlier do not count
 * (`clearPause`, `countFailure`). Afterwards a probe decides, as after an outage.
 * @param floorSeconds the minimum between two queries of a number, if it is known: a provider without slots has stored
 *   none.
 */
export async function pauseByOperator(
  db: Db,
  provider: string,
  { until, reason, now }: { until: Date; reason: string; now: Date },
  floorSeconds: number | null = null,
): Promise<void> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const end = Prisma.sql`${until.toISOString()}::timestamptz`;
  await executeByIndex(
    db,
    Prisma.sql`
    WITH e AS (
      SELECT paused_until FROM public.provider_pauses WHERE provider = ${provider} AND paused_until > ${end}
    ), ${released(provider, floorSeconds, until)}
    INSERT INTO public.provider_pauses AS p (provider, failures, failure, reason, paused_until, updated_at, began_at)
    VALUES (${provider}, 0, ${PAUSED_BY_OPERATOR}, ${reason}, ${end}, ${at}, ${at})
    ON CONFLICT (provider) DO UPDATE SET failure = EXCLUDED.failure, reason = EXCLUDED.reason,
      paused_until = EXCLUDED.paused_until, updated_at = EXCLUDED.updated_at`,
  );
}

const ENDED = columns({ provider: column<string>('e.provider') });

/**
 * Ends a pause, whoever began it, and forgets the failures that were counted. What waited for its end becomes due now.
 * @param provider the name of its breaker, which is or begins with the name of the provider (`NAME`, `NAME:subscribe`).
 * @param floorSeconds as in `pauseByOperator`.
 * @returns whether there was anything to end.
 */
export async function endPause(
  db: Db,
  provider: string,
  now: Date,
  floorSeconds: number | null = null,
): Promise<boolean> {
  const ended = await rowsByIndex(
    db,
    ENDED,
    (list) => Prisma.sql`
    WITH e AS (
      DELETE FROM public.provider_pauses WHERE provider = ${provider} RETURNING provider, paused_until
    ), ${released(provider, floorSeconds, now)}
    SELECT ${list} FROM e`,
  );
  return ended.length > 0;
}

/**
 * The parts of a statement that have those checks and subscriptions due at a time that were given back until the end of
 * a pause `e`. Checks are not due before the floor; where it is not known, they stay.
 */
function released(provider: string, floorSeconds: number | null, time: Date): Prisma.Sql {
  const [name = provider] = provider.split(':');
  const at = Prisma.sql`${time.toISOString()}::timestamptz`;
  return Prisma.sql`floors AS (
      SELECT COALESCE(max(floor_seconds), ${floorSeconds}::float8) AS seconds FROM public.check_slots WHERE provider = ${provider}
    ), due AS (
      UPDATE public.checks c SET next_check_at = LEAST(c.next_check_at,
        GREATEST(${at}, c.claimed_at + make_interval(secs => f.seconds)))
      FROM e, floors f
      WHERE c.provider = ${provider} AND c.next_check_at BETWEEN e.paused_until AND e.paused_until AND f.seconds IS NOT NULL
    ), again AS (
      UPDATE public.subscriptions s SET retry_at = ${at} FROM e
      WHERE s.provider = ${name} AND s.retry_at BETWEEN e.paused_until AND e.paused_until
    )`;
}

const HEALTH = columns({
  provider: column<string>('p.provider'),
  pausedUntil: column<Date | null>('(SELECT paused_until FROM public.provider_pauses WHERE provider = p.provider)'),
  /** Since when its oldest check has been due, or will be; null: it has none. */
  oldestDueAt: column<Date | null>('LEAST(c.due_at, s.due_at)'),
  /** When a regular check was last begun; null: not yet. */
  checkedAt: column<Date | null>('(SELECT max(claimed_at) FROM public.check_slots WHERE provider = p.provider)'),
});

/** Whether the checks of a provider are made in time. */
export type ProviderHealth = RowOf<typeof HEALTH>;

/** The health of some providers. A step of an index for each: the cost does not grow with the checks that are due. */
export async function readProviderHealth(db: Db, names: readonly string[], now: Date): Promise<ProviderHealth[]> {
  return rowsByIndex(db, HEALTH, (list) => healthStatement(names, now, list));
}

/** The statement; a separate function, so that a test can inspect its plan. A leased slot is being checked. */
export function healthStatement(names: readonly string[], now: Date, list = Prisma.raw(HEALTH.list)): Prisma.Sql {
  return Prisma.sql`
    SELECT ${list} FROM unnest(${[...names]}::text[]) AS p(provider)
    LEFT JOIN LATERAL (
      SELECT next_check_at AS due_at FROM public.checks WHERE provider = p.provider ORDER BY next_check_at LIMIT 1) c ON true
    LEFT JOIN LATERAL (
      SELECT due_at FROM public.check_slots
      WHERE provider = p.provider AND (leased_until IS NULL OR leased_until <= ${now.toISOString()}::timestamptz)
      ORDER BY due_at LIMIT 1) s ON true`;
}

/** Permits of one provider, `spacingMs` apart, over all processes. */
export type PermitsWanted = {
  provider: string;
  /** Permits to take together. */
  count: number;
  spacingMs: number;
  /** How much longer nobody else gets one: the caller may know of its permits, and use them, this much later. */
  spareMs?: number;
  /** How long the caller would wait for the first one. */
  maxWaitMs: number;
};

/**
 * Calls leave evenly but arrive unevenly: slowed down by this much, they never exceed the rate in any second at the
 * provider.
 */
const MARGIN = 1.1;

/** The time between two calls at a rate. */
export function spacingMsOf(callsPerSecond: number): number {
  return (1000 / callsPerSecond) * MARGIN;
}

/**
 * How late a permit may be used: a fraction of a second, or of the time between two calls if that is longer. It is no
 * more than the margin saves, so that a late call and the following ones never exceed the rate in any second.
 */
export function lateMsOf(callsPerSecond: number): number {
  return (MARGIN - 1) * Math.max(1000, 1000 / callsPerSecond);
}

/**
 * No permit is further away, unless the database's clock has been set back: then the permits of before do not count.
 */
const FURTHEST_MS = 3_600_000;

/**
 * If taken: the first permit starts in `waitMs`. Otherwise the next permit is `waitMs` away, more than the caller would
 * wait.
 */
export type Permits = { taken: boolean; waitMs: number };

const PERMIT = columns({
  /** By the database's clock, so that the clocks of processes do not matter. */
  waitMs: column<number>('GREATEST(0, extract(epoch FROM first_turn_at - clock_timestamp()) * 1000)::float8'),
});

/**
 * Takes the next permits to call a provider. The database decides, so all processes together keep its rate: permits are
 * spaced evenly, and unused permits are lost, so there are no bursts.
 */
export async function takePermits(
  db: Db,
  { provider, count, spacingMs, spareMs = 0, maxWaitMs }: PermitsWanted,
): Promise<Permits> {
  const lengthMs = count * spacingMs + spareMs;
  const length = interval(lengthMs);
  const isPossible = Prisma.sql`p.next_turn_at <= clock_timestamp() + ${interval(maxWaitMs + lengthMs + FURTHEST_MS)}`;
  const [taken] = await hotRows(
    db,
    PERMIT,
    (list) => Prisma.sql`
    WITH permit AS (
      INSERT INTO public.provider_pace AS p (provider, next_turn_at) VALUES (${provider}, clock_timestamp() + ${length})
      ON CONFLICT (provider) DO UPDATE SET
        next_turn_at = CASE WHEN ${isPossible} THEN GREATEST(p.next_turn_at, clock_timestamp()) ELSE clock_timestamp() END + ${length}
      WHERE p.next_turn_at <= clock_timestamp() + ${interval(maxWaitMs)} OR NOT ${isPossible}
      RETURNING next_turn_at - ${length} AS first_turn_at
    ) SELECT ${list} FROM permit`,
  );
  if (taken) return { taken: true, waitMs: taken.waitMs };
  const [next] = await hotRows(
    db,
    PERMIT,
    (list) => Prisma.sql`
    SELECT ${list} FROM (SELECT next_turn_at AS first_turn_at FROM public.provider_pace WHERE provider = ${provider}) permit`,
  );
  return { taken: false, waitMs: next?.waitMs ?? 0 };
}

/** Permits are taken a little ahead at any rate; only above this do calls wait for theirs. */
const AHEAD_MS = 1000;

/** Providers whose next permits are all taken, by any process: their rate delays calls. */
export async function providersAtRate(db: Db): Promise<string[]> {
  const found = await rows(
    db,
    columns({ provider: column<string>('provider') }),
    (list) =>
      Prisma.sql`SELECT ${list} FROM public.provider_pace WHERE next_turn_at > clock_timestamp() + ${interval(AHEAD_MS)}`,
  );
  return found.map(({ provider }) => provider);
}

function interval(ms: number): Prisma.Sql {
  return Prisma.sql`make_interval(secs => ${ms / 1000}::float8)`;
}

/** How long a process that was killed while it fetched a token blocks the others. A token request takes less. */
const LEASE_SECONDS = 20;
/** Rows of unused credentials are kept for this long after their token has expired. */
const KEPT_DAYS = 7;

const TOKEN = columns({
  sealed: column<StoredToken['sealed'] | null>('t.sealed'),
  refreshInSeconds: column<number | null>('extract(epoch FROM t.refresh_at - now())::float8'),
  expiresInSeconds: column<number | null>('extract(epoch FROM t.expires_at - now())::float8'),
});

/** The access tokens of providers, shared by all processes. All times are from the database's clock. */
export function tokenStore(db: Db): TokenStore {
  return {
    take: async ({ provider, credentials }, rejected) => {
      const leased = await db.$executeRaw`
        INSERT INTO public.provider_tokens AS t (provider, credentials, leased_until)
        VALUES (${provider}, ${credentials}, now() + make_interval(secs => ${LEASE_SECONDS}))
        ON CONFLICT (provider, credentials) DO UPDATE SET leased_until = EXCLUDED.leased_until
        WHERE (t.leased_until IS NULL OR t.leased_until <= now())
          AND (t.sealed IS NULL OR t.sealed = ${rejected} OR t.refresh_at <= now())`;
      const [row] = await rows(
        db,
        TOKEN,
        (list) => Prisma.sql`
          SELECT ${list} FROM public.provider_tokens t WHERE provider = ${provider} AND credentials = ${credentials}`,
      );
      return { hasLease: leased > 0, token: row && row.sealed !== rejected ? usable(row) : null };
    },
    put: async ({ provider, credentials }, { sealed, refreshInSeconds, expiresInSeconds }) => {
      await db.$executeRaw`
        UPDATE public.provider_tokens SET sealed = ${sealed}, leased_until = NULL,
          refresh_at = now() + make_interval(secs => ${refreshInSeconds}::float8),
          expires_at = now() + make_interval(secs => ${expiresInSeconds}::float8)
        WHERE provider = ${provider} AND credentials = ${credentials}`;
      await db.$executeRaw`
        DELETE FROM public.provider_tokens
        WHERE provider = ${provider} AND credentials <> ${credentials} AND expires_at < now() - make_interval(days => ${KEPT_DAYS})`;
    },
    release: async ({ provider, credentials }) => {
      await db.$executeRaw`
        UPDATE public.provider_tokens SET leased_until = NULL
        WHERE provider = ${provider} AND credentials = ${credentials}`;
    },
  };
}

function usable(row: { [K in keyof StoredToken]: StoredToken[K] | null }): StoredToken | null {
  const { sealed, refreshInSeconds, expiresInSeconds } = row;
  if (sealed === null || refreshInSeconds === null || expiresInSeconds === null || expiresInSeconds <= 0) return null;
  return { sealed, refreshInSeconds, expiresInSeconds };
}
