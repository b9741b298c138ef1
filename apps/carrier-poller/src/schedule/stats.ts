import { foldStats } from '@pts/db/stats';
import { transitOf } from '@pts/service/stats';
import type { PollerDeps } from '../deps.ts';

/** Folds what has changed into the figures of the accounts. */
export async function sweepStats({ db }: Pick<PollerDeps, 'db'>): Promise<{ more: boolean }> {
  return foldStats(db, transitOf);
}
