import { JITTER } from '@pts/core/tracking/schedule';
import { column, columns, type Db, rowsByIndex } from '../connection.ts';
import { type Check, Prisma } from '../generated/client.ts';
import { WITH_SLOT } from './ring.ts';
import { type Cadence, polledSeconds } from './schedule.ts';

const MOVED = columns({ trackingId: column<Check['trackingId']>('c.tracking_id') });

/**
 * Moves up to `limit` checks of a provider whose callbacks no longer arrive from their safety net to their regular interval, spread
 * over it. Those in slots follow the slots (`followCadence`).
 * @returns how many.
 */
export async function leaveSafetyNet(
  db: Db,
  { provider, cadence, limit, now }: { provider: string; cadence: Cadence; limit: number; now: Date },
): Promise<number> {
  const at = Prisma.sql`${now.toISOString()}::timestamptz`;
  const longest = Math.max(cadence.monitoredSeconds, cadence.idleSeconds, cadence.floorSeconds) * (1 + JITTER);
  const moved = await rowsByIndex(
    db,
    MOVED,
    (list) => Prisma.sql`
    WITH late AS (
      SELECT tracking_id, account_id FROM public.checks
      WHERE provider = ${provider} AND pushed AND NOT final_look
        AND next_check_at > ${at} + make_interval(secs => ${longest}::float8) AND next_check_at < ${WITH_SLOT}
      ORDER BY next_check_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
    )
    UPDATE public.checks c SET next_check_at = GREATEST(
      ${at} + make_interval(secs => random() * ${polledSeconds(cadence)}),
      c.claimed_at + make_interval(secs => ${cadence.floorSeconds}::float8))
    FROM late WHERE c.tracking_id = late.tracking_id AND c.account_id = late.account_id
    RETURNING ${list}`,
  );
  return moved.length;
}
