import type { Infer } from '@pts/contract/infer';
import type { bulkAction } from '@pts/contract/schemas/bulk-actions';
import { BULK_ACTION_DAYS, BULK_REASONS } from '@pts/core/bulk-actions';
import { toUtcSeconds } from '@pts/core/time';
import type { BulkAction } from '@pts/db/bulk-actions';

const DAY_MS = 86_400_000;
const timeOf = (time: Date | null) => time && toUtcSeconds(time);

export function viewBulkAction(found: BulkAction): Infer<typeof bulkAction> {
  const { action, finishedAt } = found;
  return {
    id: found.id,
    action,
    state: found.state,
    filter: found.filter,
    dry_run: found.dryRun,
    as_of: toUtcSeconds(found.asOf),
    matched: found.matched,
    matched_is_lower_bound: found.isLowerBound,
    done: found.done,
    skipped: found.skipped,
    failed: found.failed,
    progress: progressOf(found),
    reasons: found.reasons.map(({ reason, count, sample }) => ({
      reason,
      ...BULK_REASONS[reason],
      count,
      sample_ids: sample,
    })),
    error: found.error,
    created_at: toUtcSeconds(found.createdAt),
    started_at: timeOf(found.startedAt),
    finished_at: timeOf(finishedAt),
    expires_at: finishedAt && toUtcSeconds(new Date(finishedAt.getTime() + BULK_ACTION_DAYS * DAY_MS)),
  };
}

function progressOf({ state, matched, isLowerBound, done, skipped, failed }: BulkAction): number | null {
  if (state === 'done') return 100;
  if (isLowerBound) return null;
  return Math.min(100, Math.floor((100 * (done + skipped + failed)) / Math.max(1, matched)));
}
