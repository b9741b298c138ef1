import { PAUSED_BY_OPERATOR } from '@pts/core/tracking/outage';
import { rowsByIndex } from '../connection/by-index.ts';
import type { Db } from '../connection/client.ts';
import { column, columns } from '../connection/rows.ts';
import { Prisma } from '../generated/client.ts';

/**
 * Pauses all calls to a provider until a time; any other pause is replaced. Nothing but `endPause` lifts it before: calls that
 * were made earlier do not count (`clearPause`, `countFailure`). Afterwards a probe decides, as after an outage.
 */
export async function pauseByOperator(
  db: Db,
  provider: string,
  { until, reason, now }: { until: Date; reason: string; now: Date },
): Promise<void> {
  const pause = { failure: PAUSED_BY_OPERATOR, reason, pausedUntil: until, updatedAt: now };
  await db.providerPause.upsert({
    where: { provider },
    create: { provider, failures: 0, ...pause },
    update: pause,
  });
}

const ENDED = columns({ provider: column<string>('e.provider') });

/**
 * Ends a pause, whoever began it, and forgets the failures that were counted. Checks that were given back until its end become
 * due now, but not before the floor; where no slot tells the floor, they stay. Subscriptions that were postponed become due, too.
 * @param provider the name of its breaker, which is or begins with the name of the provider (`NAME`, `NAME:subscribe`).
 * @returns whether there was anything to end.
 */
export async function endPause(db: Db, provider: string, now: Date): Promise<boolean> {
  const [name = provider] = provider.split(':');
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const ended = await rowsByIndex(
    db,
    ENDED,
    (list) => Prisma.sql`
    WITH e AS (
      DELETE FROM public.provider_pauses WHERE provider = ${provider} RETURNING provider, paused_until
    ), floors AS (
      SELECT max(floor_seconds) AS seconds FROM public.check_slots WHERE provider = ${provider}
    ), due AS (
      UPDATE public.checks c SET next_check_at = LEAST(c.next_check_at,
        GREATEST(${at}, c.claimed_at + make_interval(secs => f.seconds)))
      FROM e, floors f
      WHERE c.provider = ${provider} AND c.next_check_at BETWEEN e.paused_until AND e.paused_until AND f.seconds IS NOT NULL
    ), again AS (
      UPDATE public.subscriptions s SET retry_at = ${at} FROM e
      WHERE s.provider = ${name} AND s.retry_at BETWEEN e.paused_until AND e.paused_until
    )
    SELECT ${list} FROM e`,
  );
  return ended.length > 0;
}
