import { JITTER } from '@pts/core/tracking/schedule';
import type { Claim } from '@pts/db/checks/claim';
import type { Db } from '@pts/db/connection/client';

/** The claim of release 0.2.0, which reads and writes only the checks. */
export async function claimAsBefore(
  db: Db,
  { provider, limit, cadence, now }: Claim,
): Promise<{ trackingId: string; trackingNumber: string }[]> {
  const at = now.toISOString();
  const { monitoredSeconds, idleSeconds, floorSeconds } = cadence;
  return db.$queryRaw`
    WITH due AS (
      SELECT tracking_id FROM public.checks WHERE provider = ${provider} AND next_check_at <= ${at}::timestamptz
        AND NOT EXISTS (SELECT 1 FROM public.provider_pauses WHERE provider = ${provider} AND paused_until > '-infinity')
      ORDER BY next_check_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE public.checks c SET claimed_at = ${at}::timestamptz,
      next_check_at = ${at}::timestamptz + make_interval(secs => GREATEST(${floorSeconds}::float8,
        (${1 - JITTER}::float8 + random() * ${2 * JITTER}::float8) * CASE WHEN c.fingerprint IS NULL THEN 60::float8
          WHEN EXISTS (SELECT 1 FROM public.webhooks w WHERE w.account_id = c.account_id AND w.enabled)
          THEN ${monitoredSeconds}::float8 ELSE ${idleSeconds}::float8 END))
    FROM due WHERE c.tracking_id = due.tracking_id
    RETURNING c.tracking_id AS "trackingId", c.tracking_number AS "trackingNumber"`;
}
