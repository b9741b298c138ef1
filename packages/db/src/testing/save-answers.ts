import type { PendingEndpoint } from '@pts/core/webhook/endpoint';
import { type ChangedAnswer, saveBatch } from '../checks/answers.ts';
import type { Cadence } from '../checks/schedule.ts';
import type { Db } from '../connection.ts';
import { keysOf } from './parcel-keys.ts';

/**
 * Stores changed answers (`saveBatch`), whoever has the parcels.
 * @returns the endpoints with new pending deliveries.
 */
export async function saveAnswers(
  db: Db,
  answers: readonly Omit<ChangedAnswer, 'accountId'>[],
  cadence: Cadence,
  now: Date,
): Promise<PendingEndpoint[]> {
  const ids = answers.map(({ trackingId }) => trackingId);
  const changed = (await keysOf(db, ids)).flatMap((key, index) => {
    const answer = answers[index];
    return answer ? { ...answer, ...key } : [];
  });
  return (await saveBatch(db, changed, cadence, now)).pending;
}
