/** The actions that can be applied to everything that a filter matches. */
export const BULK_ACTIONS = ['retrack', 'stop', 'delete', 'redeliver'] as const;
export type BulkActionName = (typeof BULK_ACTIONS)[number];

/** Bulk actions of an account that are kept; beyond this, the oldest is forgotten. */
export const MAX_BULK_ACTIONS = 20;
/** Days for which a bulk action is kept after its end. */
export const BULK_ACTION_DAYS = 30;

/** Why a bulk action left something as it is: there was nothing to do (`skipped`), or it was refused (`failed`). */
export const BULK_REASONS = {
  changed: { outcome: 'skipped', message: 'There is news since the request: it may not match any more.' },
  deleted: { outcome: 'skipped', message: 'It was deleted meanwhile.' },
  retracked: { outcome: 'skipped', message: 'It was retracked less than 1 hour ago.' },
  stopped: { outcome: 'skipped', message: 'It was not polled any more.' },
  pending: { outcome: 'skipped', message: 'It is pending: it will be sent anyway.' },
  sent_again: { outcome: 'skipped', message: 'It was sent again meanwhile.' },
  webhook_disabled: { outcome: 'failed', message: 'Its webhook is disabled: enable it, and redeliver again.' },
  webhook_deleted: { outcome: 'failed', message: 'Its webhook was deleted.' },
  expired: { outcome: 'failed', message: 'Its message has expired.' },
  too_often: { outcome: 'failed', message: 'It was redelivered too often; it cannot be sent again.' },
} as const satisfies Record<string, { outcome: 'skipped' | 'failed'; message: string }>;
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
  counts[BULK_REASONS[outcome].outcome] += 1;
  let group = counts.reasons.find(({ reason }) => reason === outcome);
  if (!group) {
    group = { reason: outcome, count: 0, sample: [] };
    counts.reasons.push(group);
  }
  group.count += 1;
  if (group.sample.length < MAX_SAMPLES) group.sample.push(id);
}
