import type { PendingEndpoint } from '@pts/core/webhook/pending-endpoint';
import { type Db, isPassing } from '../connection/client.ts';
import { type ChangedAnswer, type SavedBatch, saveBatch } from './answers.ts';
import type { Cadence } from './schedule.ts';

/** An answer that cannot be stored, and why. */
export type Unsaved = { trackingId: string; error: unknown };

/**
 * Stores a batch of changed answers. If one cannot be stored, the others are stored one by
 * one. Transient failures (the database is unreachable, a conflict) throw.
 * @returns what `saveBatch` returns, and the answers that could not be stored.
 */
export async function saveAnswersApart(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
): Promise<SavedBatch & { unsaved: Unsaved[] }> {
  try {
    return { ...(await saveBatch(db, answers, cadence, now)), unsaved: [] };
  } catch (error) {
    if (isPassing(error)) throw error;
    const [only, ...others] = answers;
    if (only && others.length === 0)
      return {
        pending: [],
        news: [],
        quarantined: [],
        doubtful: [],
        unsaved: [{ trackingId: only.trackingId, error }],
      };
  }
  const pending = new Map<string, PendingEndpoint>();
  const [news, quarantined, doubtful]: [string[], string[], string[]] = [[], [], []];
  const unsaved: Unsaved[] = [];
  for (const answer of answers) {
    const saved = await saveAnswersApart(db, [answer], cadence, now);
    for (const endpoint of saved.pending) pending.set(endpoint.webhookId, endpoint);
    news.push(...saved.news);
    quarantined.push(...saved.quarantined);
    doubtful.push(...saved.doubtful);
    unsaved.push(...saved.unsaved);
  }
  return { pending: [...pending.values()], news, quarantined, doubtful, unsaved };
}
