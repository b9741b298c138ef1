import type { ConnectedProvider } from '@pts/carriers/provider';
import type { BacklogLook } from '@pts/core/process/backlog';
import { readBacklogs } from '@pts/db/checks/schedule';
import { providersAtRate } from '@pts/db/providers';
import { createBacklogWatch } from '@pts/runtime/backlog-watch';
import type { PollerDeps } from '../deps.ts';

/** What the report needs to know of the work for one provider. */
type Part = Pick<PollerDeps, 'pace' | 'claimOutcomes'> & { provider: ConnectedProvider };

export type BacklogDeps = Pick<PollerDeps, 'db' | 'logger' | 'metrics' | 'memory' | 'now'> & {
  /** The providers of this process. */
  parts: readonly Part[];
};

/** From this share of a provider's places on that are in calls, the provider decides how fast checks are made. */
const MANY_CALLS = 0.5;

/**
 * Reports the checks that are due and not yet claimed, and warns when those of a provider cannot be claimed, or grow old
 * although neither a pause, a budget, its rate nor the time of its calls holds them back.
 */
export function createBacklogReport({ db, logger, metrics, memory, now, parts }: BacklogDeps) {
  const watch = createBacklogWatch<'provider'>({ logger, growing: metrics.backlogGrowing });

  const isPaused = (provider: ConnectedProvider) => (memory.outages.get(provider) ?? null) !== null;

  async function read(at: Date): Promise<{ ages: ReadonlyMap<string, number>; atRate: ReadonlySet<string> }> {
    const [backlogs, atRate] = [await readBacklogs(db, at), await providersAtRate(db)];
    forget();
    for (const { provider, pace } of parts) {
      const { name } = provider;
      const isHeldBack = isPaused(provider) || pace.isFar() || atRate.includes(name);
      metrics.due.set({ provider: name }, 0);
      metrics.heldBack.set({ provider: name }, isHeldBack ? 1 : 0);
    }
    for (const { provider, due, oldestAt } of backlogs) {
      metrics.due.set({ provider }, due);
      metrics.oldestDueSeconds.set({ provider }, secondsSince(oldestAt, at));
    }
    const ages = backlogs.map(({ provider, oldestAt }) => [provider, secondsSince(oldestAt, at)] as const);
    return { ages: new Map(ages), atRate: new Set(atRate) };
  }

  function look({ provider, claimOutcomes, pace }: Part, known: Awaited<ReturnType<typeof read>> | null): BacklogLook {
    const isOut = isPaused(provider);
    const isBusy = pace.calls.look() >= MANY_CALLS * provider.limits.concurrency;
    const isFailing = claimOutcomes.isFailing() && !isOut;
    if (known === null) return { oldestSeconds: isOut ? 0 : null, isFailing, isHeldBack: isOut };
    const isHeldBack = isOut || isBusy || pace.isFar() || known.atRate.has(provider.name);
    return { oldestSeconds: known.ages.get(provider.name) ?? 0, isFailing, isHeldBack };
  }

  /** What is not known any more must not stay as it was. */
  function forget(): void {
    for (const gauge of [metrics.due, metrics.oldestDueSeconds, metrics.heldBack]) gauge.reset();
  }

  return {
    /** What `/readyz` shows, by provider. */
    details: watch.details,
    /** @throws the error of the database, after a look at what is known without it. */
    async round(): Promise<{ more: false }> {
      let known: Awaited<ReturnType<typeof read>> | null = null;
      try {
        known = await read(now());
      } finally {
        if (known === null) forget();
        for (const part of parts) watch.look({ provider: part.provider.name }, look(part, known));
      }
      return { more: false };
    },
  };
}

function secondsSince(then: Date, at: Date): number {
  return Math.max(0, at.getTime() - then.getTime()) / 1000;
}
