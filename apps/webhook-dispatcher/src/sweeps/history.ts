import type { Db } from '@pts/db/connection';
import { readHistoryAges, rotateHistory } from '@pts/db/deliveries/retention';
import type { DispatcherMetrics } from '../process/metrics.ts';

export type HistoryDeps = {
  db: Db;
  metrics: Pick<DispatcherMetrics, 'historyAheadSeconds' | 'historyExpiredSeconds'>;
  retentionDays: number;
  now(): Date;
};

/** Creates partitions of the history ahead of time, drops expired ones, and reports whether that keeps up. */
export async function keepHistory({ db, metrics, retentionDays, now }: HistoryDeps): Promise<{ more: boolean }> {
  const retention = { retentionDays, now: now() };
  try {
    await rotateHistory(db, retention);
  } finally {
    for (const { table, aheadSeconds, expiredSeconds } of await readHistoryAges(db, retention)) {
      metrics.historyAheadSeconds.set({ table }, aheadSeconds);
      metrics.historyExpiredSeconds.set({ table }, expiredSeconds);
    }
  }
  return { more: false };
}
