import type { Db } from '@pts/db/connection/client';
import { pendingEndpoints } from '@pts/db/deliveries/pending';
import { endpointsAtWork } from '@pts/db/deliveries/turns';
import { createBacklogWatch } from '@pts/runtime/backlog-watch';
import type { Logger } from '@pts/runtime/logger';
import type { DispatcherMetrics } from '../process/metrics.ts';

export type BacklogDeps = {
  db: Db;
  logger: Pick<Logger, 'warn' | 'info'>;
  metrics: Pick<DispatcherMetrics, 'backlogGrowing'>;
  /** Whether this process could serve another endpoint, even a failing one. */
  hasFree(): boolean;
  now(): Date;
};

/**
 * Warns when endpoints with due deliveries wait longer and longer although no process serves them and this one has free
 * places.
 */
export function createBacklogReport({ db, logger, metrics, hasFree, now }: BacklogDeps) {
  const watch = createBacklogWatch<'health'>({ logger, growing: metrics.backlogGrowing });
  return async (): Promise<{ more: false }> => {
    const pending = await pendingEndpoints(db);
    const atWork = new Set(await endpointsAtWork(db));
    const at = now();
    const waiting = pending.filter(
      ({ webhookId, dueAt, isClosed }) => !isClosed && dueAt <= at && !atWork.has(webhookId),
    );
    for (const health of ['well', 'failing'] as const) {
      const ages = waiting
        .filter(({ isFailing }) => isFailing === (health === 'failing'))
        .map(({ dueAt }) => at.getTime() - dueAt.getTime());
      const oldestSeconds = ages.reduce((most, age) => Math.max(most, age), 0) / 1000;
      watch({ health }, { count: ages.length, oldestSeconds, isIdle: hasFree() });
    }
    return { more: false };
  };
}
