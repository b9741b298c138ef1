import { isUnconfirmed } from '@pts/core/tracking/change';
import type { ParcelKey } from '@pts/core/tracking/schedule';
import { currentOf } from '@pts/core/tracking/undecided';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Outcome } from './answer-snapshot.ts';

/** The result of a batch: the endpoints to wake, and ids of trackings by the outcome of their answers. */
export type SavedBatch = {
  pending: PendingEndpoint[];
  /** They brought news. */
  news: string[];
  /** The accounts with new events. */
  accounts: string[];
  quarantined: string[];
  /** They came in callbacks and must be confirmed by a check. */
  doubtful: string[];
  /** Undecided numbers in their first round: the next candidate, and whether its check is due now. */
  moved: (ParcelKey & { provider: string; isDue: boolean })[];
  /** The requests that registered the parcels whose answers were stored. */
  requestIds: string[];
  /** Numbers that their carrier knew for the first time. */
  firstFinds: { trackingNumber: string; carrier: string }[];
};

/** What a batch stores besides its messages. */
export function savedOf(
  outcomes: readonly Outcome[],
  now: Date,
): Omit<SavedBatch, 'pending' | 'doubtful' | 'requestIds'> {
  const news = outcomes.filter(({ change }) => change.emits.length > 0);
  return {
    news: idsOf(news),
    accounts: [...new Set(news.map(({ tracking }) => tracking.accountId))],
    quarantined: idsOf(outcomes.filter(({ change }) => isUnconfirmed(change))),
    moved: outcomes.flatMap((outcome) => movedOf(outcome, now)),
    firstFinds: outcomes
      .filter(({ tracking, change }) => tracking.scans.length === 0 && change.after.scans.length > 0)
      .map(({ tracking: { trackingNumber, carrier } }) => ({ trackingNumber, carrier })),
  };
}

function idsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map(({ tracking }) => tracking.id);
}

function movedOf({ tracking, step }: Outcome, now: Date): SavedBatch['moved'] {
  if (step?.kind !== 'ask' || !step.isAtOnce) return [];
  const provider = currentOf(step.undecided)?.provider ?? '';
  return [{ trackingId: tracking.id, accountId: tracking.accountId, provider, isDue: step.dueAt <= now }];
}
