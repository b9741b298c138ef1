import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import { column, columns, type Db, executeByIndex, rowsByIndex } from '../connection.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Pauses all calls to a provider until a time; any other pause is replaced, and what waited for the end of a longer one becomes due
 * at the end of this one. Nothing but `endPause` lifts it before: calls that were made earlier do not count (`clearPause`,
 * `countFailure`). Afterwards a probe decides, as after an outage.
 * @param floorSeconds the minimum between two queries of a number, if it is known: a provider without slots has stored none.
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
    INSERT INTO public.provider_pauses AS p (provider, failures, failure, reason, paused_until, updated_at)
    VALUES (${provider}, 0, ${PAUSED_BY_OPERATOR}, ${reason}, ${end}, ${at})
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
 * The parts of a statement that have those checks and subscriptions due at a time that were given back until the end of a pause `e`.
 * Checks are not due before the floor; where it is not known, they stay.
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
