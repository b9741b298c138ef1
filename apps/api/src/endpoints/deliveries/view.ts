import { toUtcSeconds } from '@pts/core/time';
import type { AttemptRow } from '@pts/db/deliveries/log';
import { instant } from '../webhooks/view.ts';

/** A delivery record, the spec's five fields first (spec section 2.5). */
export function viewAttempt(row: AttemptRow) {
  return {
    ts: toUtcSeconds(row.startedAt),
    event: row.event,
    status_code: row.statusCode,
    attempt: row.attempt,
    error: row.error,
    id: row.id,
    message_id: row.messageId,
    webhook_id: row.webhookId,
    duration_ms: row.durationMs,
    next_attempt_at: instant(row.nextAttemptAt),
    response_excerpt: row.responseExcerpt,
    round: row.round,
  };
}
