import type { PendingEndpoint } from '@pts/core/webhook/pending-endpoint';
import { type ChangedAnswer, saveBatch } from '../checks/answers.ts';
import type { Cadence } from '../checks/schedule.ts';
import type { Db } from '../connection/client.ts';

/** Stores changed answers (`saveBatch`). @returns the endpoints with new pending deliveries. */
export async function saveAnswers(
  db: Db,
  answers: readonly ChangedAnswer[],
  cadence: Cadence,
  now: Date,
): Promise<PendingEndpoint[]> {
  return (await saveBatch(db, answers, cadence, now)).pending;
}
