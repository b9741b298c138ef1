import { BULK_ACTION_DAYS } from '@pts/core/bulk-actions';
import { KEPT_DAYS } from '@pts/core/stats';
import { forgetKeys } from '@pts/db/accounts/idempotency-keys';
import { forgetBulkActions } from '@pts/db/bulk-actions';
import type { Db } from '@pts/db/connection';
import { prune } from '@pts/db/deliveries/retention';
import { forgetImports } from '@pts/db/imports';
import { pruneStats } from '@pts/db/stats';

export type PruneDeps = { db: Db; retentionDays: number; now(): Date };

const BATCH = 1000;
/** Each may have a hundred megabytes of rows. */
const IMPORTS = 10;
/** Partitions of attempts hold a quarter of the retention, or a day; they are dropped soon after their end. */
const OVERDUE_DAYS = 3;
const DAY_MS = 24 * 3_600_000;

/** Deletes one small batch of each kind of expired rows. */
export async function pruneOld({ db, retentionDays, now }: PruneDeps): Promise<{ more: boolean }> {
  const daysAgo = (days: number) => new Date(now().getTime() - days * DAY_MS);
  // The oldest interval that can be read is whole.
  const [hoursBefore, daysBefore] = [daysAgo(KEPT_DAYS.hour + 1), daysAgo(KEPT_DAYS.day + 1)];
  const deleted = [
    await prune(db, {
      before: daysAgo(retentionDays),
      overdue: daysAgo(1.25 * retentionDays + OVERDUE_DAYS),
      batch: BATCH,
    }),
    await pruneStats(db, { hoursBefore, daysBefore, batch: BATCH }),
    await forgetKeys(db, { now: now(), batch: BATCH }),
    await forgetBulkActions(db, { before: daysAgo(BULK_ACTION_DAYS), batch: BATCH }),
  ];
  const imports = await forgetImports(db, { now: now(), batch: IMPORTS });
  return { more: imports >= IMPORTS || deleted.some((count) => count >= BATCH) };
}
