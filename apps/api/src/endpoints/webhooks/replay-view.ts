import { toUtcSeconds } from '@pts/core/time';
import type { Replay } from '@pts/db/deliveries/replays';
import { instant } from './view.ts';

/** A replay and its progress. */
export function viewReplay({ id, webhookId, since, until, state, total, replayed, createdAt, finishedAt }: Replay) {
  return {
    id,
    webhook_id: webhookId,
    since: toUtcSeconds(since),
    until: toUtcSeconds(until),
    state,
    total,
    replayed,
    created_at: toUtcSeconds(createdAt),
    finished_at: instant(finishedAt),
  };
}
