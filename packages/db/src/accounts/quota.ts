import { monthOf } from '@pts/core/time';
import { column, columns, type Db, rows } from '../connection.ts';
import { violates } from '../errors.ts';
import { Prisma, type QuotaUsage } from '../generated/client.ts';

const USED = columns({ used: column<QuotaUsage['used']>('q.used') });

/**
 * Adds to the units used in the UTC month of `now`, or takes away: never below zero, and never beyond the limit, which the check
 * constraint enforces as for registrations.
 * @returns the units used; null if they would exceed the limit.
 */
export async function correctUsed(
  db: Db,
  { accountId, units, quotaLimit, now }: { accountId: string; units: number; quotaLimit: number; now: Date },
): Promise<number | null> {
  const month = monthOf(now).toISOString().slice(0, 10);
  try {
    const [row] = await rows(
      db,
      USED,
      (list) => Prisma.sql`
      INSERT INTO public.quota_usage AS q (account_id, month, used, quota_limit)
      VALUES (${accountId}, ${month}::date, GREATEST(0, ${units}::int), ${quotaLimit}::int)
      ON CONFLICT (account_id, month) DO UPDATE SET used = GREATEST(0, q.used::bigint + ${units}::int),
        quota_limit = GREATEST(excluded.quota_limit, CASE WHEN ${units}::int < 0 THEN q.used END)
      RETURNING ${list}`,
    );
    return row?.used ?? 0;
  } catch (error) {
    if (violates(error, 'quota_usage_within_limit')) return null;
    throw error;
  }
}
