import { MAX_NAMED } from '@pts/core/process/origin';
import { idsOf } from '@pts/core/tracking/schedule';
import { createBatcher } from '@pts/db/batcher';
import { type ChangedAnswer, type SavedApart, saveAnswersApart } from '@pts/db/checks/answers';
import type { PollerDeps } from '../deps.ts';
import { followUp } from './next-candidates.ts';

/** While two transactions run, the answers of up to 16 calls wait for the next one. */
const BATCH = { max: 16, concurrency: 2 };

/**
 * Saves changed answers of one provider, and wakes the endpoints and the checks that follow from them. Most of the cost of a
 * transaction does not depend on the number of answers, and few calls have more than one: those that finish at about the same time
 * share one. Of two answers about a tracking, the one that was requested later counts.
 * @returns for each call, the outcome of the transaction that it shared.
 */
export function createSave(deps: Omit<PollerDeps, 'save'>): (answers: readonly ChangedAnswer[]) => Promise<SavedApart> {
  const { db, estimator, cadence, producer, signals, provider, logger, pageOf, now } = deps;
  return createBatcher(BATCH, async (calls: (readonly ChangedAnswer[])[]) => {
    const changed = latest(calls.flat());
    const at = now();
    const saved = await saveAnswersApart(db, await estimator.prepare(changed, at), cadence, at, pageOf);
    await Promise.all([producer.deliver(saved.pending), signals.publish('events', saved.accounts)]);
    await followUp(deps, saved);
    logger.info(
      {
        provider: provider.name,
        changed: changed.length,
        endpoints: saved.pending.length,
        trackingIds: idsOf(changed.slice(0, MAX_NAMED)),
        requestIds: saved.requestIds.slice(0, MAX_NAMED),
      },
      'parcels changed',
    );
    return calls.map(() => saved);
  });
}

function latest(answers: readonly ChangedAnswer[]): ChangedAnswer[] {
  const byId = new Map<string, ChangedAnswer>();
  for (const answer of answers) {
    const other = byId.get(answer.trackingId);
    if (other?.requestedAt === undefined || answer.requestedAt === undefined || other.requestedAt <= answer.requestedAt)
      byId.set(answer.trackingId, answer);
  }
  return [...byId.values()];
}
