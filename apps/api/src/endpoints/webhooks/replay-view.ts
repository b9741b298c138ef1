import { toUtcSeconds } from '@pts/core/time';
import type { ReplayRange } from '@pts/core/webhook/endpoint';
import type { Replay } from '@pts/db/deliveries/send-again';
import { instant } from './view.ts';

/** What a replay would send. */
export function viewReplayCount(webhookId: string, { since, until, total }: ReplayRange & { total: number | null }) {
  const range = { since: toUtcSeconds(since), until: toUtcSeconds(until) };
  return { dry_run: true as const, webhook_id: webhookId, ...range, total };
}

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
