import type { ClaimedCheck } from '@pts/core/tracking/schedule';
import type { Db } from '../connection.ts';
import { rowsByIndex } from '../connection.ts';
import { Prisma } from '../generated/client.ts';
import { CLAIMED } from './schedule.ts';

/**
 * Up to `limit` due checks of undecided numbers that wait for a provider and have a candidate of one of `others`. They are not
 * claimed: the first statement that moves one wins.
 */
export async function findWaitingUndecided(
  db: Db,
  { provider, others, limit, now }: { provider: string; others: readonly string[]; limit: number; now: Date },
): Promise<ClaimedCheck[]> {
  return rowsByIndex(
    db,
    CLAIMED,
    (list) => Prisma.sql`
      SELECT ${list} FROM public.checks c
      WHERE c.provider = ${provider} AND c.undecided AND c.next_check_at <= ${now.toISOString()}::timestamptz AND EXISTS (
        SELECT 1 FROM public.trackings t, jsonb_array_elements(t.candidates -> 'candidates') candidate
        WHERE t.id = c.tracking_id AND t.account_id = c.account_id AND candidate ->> 'provider' = ANY(${[...others]}::text[])
          AND NOT COALESCE((candidate ->> 'isRuledOut')::boolean, false))
      ORDER BY c.next_check_at LIMIT ${limit}::int`,
  );
}
