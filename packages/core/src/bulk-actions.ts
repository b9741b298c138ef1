/** The actions that can be applied to everything that a filter matches. */
export const BULK_ACTIONS = ['retrack', 'stop', 'delete', 'redeliver'] as const;
export type BulkActionName = (typeof BULK_ACTIONS)[number];

/** Bulk actions of an account that are kept; beyond this, the oldest is forgotten. */
export const MAX_BULK_ACTIONS = 20;
/** Days for which a bulk action is kept after its end. */
export const BULK_ACTION_DAYS = 30;

/**
 * Why a bulk action left something as it is: there was nothing to do (`skipped`), or it was refused (`failed`). In
 * words: the message `bulk.<reason>`.
 */
export const BULK_REASONS = {
  changed: 'skipped',
  deleted: 'skipped',
  retracked: 'skipped',
  stopped: 'skipped',
  pending: 'skipped',
  sent_again: 'skipped',
  webhook_disabled: 'failed',
  webhook_deleted: 'failed',
  expired: 'failed',
  too_often: 'failed',
} as const satisfies Record<string, 'skipped' | 'failed'>;
export type BulkReason = keyof typeof BULK_REASONS;

/** Items left as they are for the same reason; `sample` has the first few. */
export type BulkReasonGroup = { reason: BulkReason; count: number; sample: string[] };

/** The progress of a bulk action so far: `reasons` says why skipped and failed items were left as they are. */
export type BulkCounts = { done: number; skipped: number; failed: number; reasons: BulkReasonGroup[] };

const MAX_SAMPLES = 5;

/** Counts what became of something. @param id of it. */
export function countOutcome(counts: BulkCounts, id: string, outcome: 'done' | BulkReason): void {
  if (outcome === 'done') {
    counts.done += 1;
    return;
  }
  counts[BULK_REASONS[outcome]] += 1;
  let group = counts.reasons.find(({ reason }) => reason === outcome);
  if (!group) {
    group = { reason: outcome, count: 0, sample: [] };
    counts.reasons.push(group);
  }
  group.count += 1;
  if (group.sample.length < MAX_SAMPLES) group.sample.push(id);
}
