import type { PageAddressOf } from '@pts/core/page';
import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import type { Db } from '../connection.ts';
import { isPassing } from '../errors.ts';
import { type ChangedAnswer, saveBatch } from './answers.ts';
import type { SavedBatch } from './saved-batch.ts';
import type { Cadence } from './schedule.ts';

/** An answer that cannot be stored, and why. */
export type Unsaved = { trackingId: string; error: unknown };
/** The result of a batch, and the answers that could not be stored. */
export type SavedApart = SavedBatch & { unsaved: Unsaved[] };

/**
 * Stores a batch of changed answers. If one cannot be stored, the others are stored one by
 * one. Transient failures (the database is unreachable, a conflict) throw.
 */
export async function saveAnswersApart(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
  pageOf?: PageAddressOf,
): Promise<SavedApart> {
  try {
    return { ...(await saveBatch(db, answers, cadence, now, pageOf)), unsaved: [] };
  } catch (error) {
    if (isPassing(error)) throw error;
    const [only, ...others] = answers;
    if (only && others.length === 0) return { ...nothing(), unsaved: [{ trackingId: only.trackingId, error }] };
  }
  const pending = new Map<string, PendingEndpoint>();
  const all = { ...nothing(), unsaved: [] as Unsaved[] };
  for (const answer of answers) {
    const saved = await saveAnswersApart(db, [answer], cadence, now, pageOf);
    for (const endpoint of saved.pending) pending.set(endpoint.webhookId, endpoint);
    all.news.push(...saved.news);
    all.accounts.push(...saved.accounts);
    all.doubtful.push(...saved.doubtful);
    all.quarantined.push(...saved.quarantined);
    all.moved.push(...saved.moved);
    all.requestIds.push(...saved.requestIds);
    all.firstFinds.push(...saved.firstFinds);
    all.unsaved.push(...saved.unsaved);
  }
  return { ...all, pending: [...pending.values()] };
}

function nothing(): SavedBatch {
  const none = { news: [], accounts: [], quarantined: [], doubtful: [], moved: [], requestIds: [], firstFinds: [] };
  return { pending: [], ...none };
}
