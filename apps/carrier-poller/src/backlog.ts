import type { ConnectedProvider } from '@pts/carriers/provider';
import { countDue } from '@pts/db/checks/schedule';
import { providersAtRate } from '@pts/db/providers/pace';
import type { Executor } from '@pts/queue/executor';
import { createBacklogWatch } from '@pts/runtime/backlog-watch';
import type { PollerDeps } from './deps.ts';

export type BacklogDeps = Pick<PollerDeps, 'db' | 'logger' | 'metrics' | 'memory' | 'now'> & {
  /** The providers of this process. */
  parts: readonly (Pick<PollerDeps, 'pace'> & { provider: ConnectedProvider; executor: Pick<Executor, 'hasFree'> })[];
};

/**
 * Reports the checks that are due and not yet claimed, and warns when those of a provider grow old although this process has
 * free places for it and neither a pause, a budget nor its rate holds it back.
 */
export function createBacklogReport({ db, logger, metrics, memory, now, parts }: BacklogDeps) {
  const watch = createBacklogWatch<'provider'>({ logger, growing: metrics.backlogGrowing });
  return async (): Promise<{ more: false }> => {
    const at = now();
    const backlogs = await countDue(db, at);
    const limited = new Set(await providersAtRate(db));
    metrics.due.reset();
    metrics.oldestDueSeconds.reset();
    for (const { provider, due, oldestAt } of backlogs) {
      metrics.due.set({ provider }, due);
      metrics.oldestDueSeconds.set({ provider }, secondsSince(oldestAt, at));
    }
    for (const { provider, executor, pace } of parts) {
      const { due = 0, oldestAt = at } = backlogs.find((backlog) => backlog.provider === provider.name) ?? {};
      const isHeldBack = (memory.troubled.get(provider) ?? null) !== null || pace.isFar() || limited.has(provider.name);
      watch(
        { provider: provider.name },
        { count: due, oldestSeconds: secondsSince(oldestAt, at), isIdle: executor.hasFree() && !isHeldBack },
      );
    }
    return { more: false };
  };
}

function secondsSince(then: Date, at: Date): number {
  return Math.max(0, at.getTime() - then.getTime()) / 1000;
}
