import { foldStats } from '@pts/db/stats/fold';
import { recountNext } from '@pts/db/stats/recount';
import { transitOf } from '@pts/service/stats/transit';
import type { PollerDeps } from '../deps.ts';

/** Folds what has changed into the figures of the accounts. */
export async function sweepStats({ db }: Pick<PollerDeps, 'db'>): Promise<{ more: boolean }> {
  return foldStats(db, transitOf);
}

/** Counts the next account whose parcels are older than its figures, as after an upgrade. */
export async function sweepRecounts({ db, logger }: Pick<PollerDeps, 'db' | 'logger'>): Promise<{ more: boolean }> {
  const accountId = await recountNext(db);
  if (accountId !== null) logger.info({ accountId }, 'counted the figures of an account');
  return { more: accountId !== null };
}
