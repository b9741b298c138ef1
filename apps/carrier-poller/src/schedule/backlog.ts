import { readBacklogs } from '@pts/db/checks/backlog';
import { providersAtRate } from '@pts/db/providers/pace';
import type { PollerDeps } from '../deps.ts';

type Part = Pick<PollerDeps, 'pace' | 'provider' | 'breaker'>;
export type DueDeps = Pick<PollerDeps, 'db' | 'metrics' | 'memory' | 'now'> & {
  /** The work for each provider of this process. */
  parts: readonly Part[];
};

/** From this share of a provider's places on that are in calls, the provider decides how fast checks are made. */
const MANY_CALLS = 0.5;

/**
 * Reports the checks that are due and not yet claimed, and for how long the oldest of each provider has been due although neither a
 * pause, a budget, its rate nor the time of its calls holds it back: the signal that work does not flow.
 * @throws the error of the database; until it answers, nothing is known.
 */
export async function reportDue({ db, metrics, memory, now, parts }: DueDeps): Promise<{ more: false }> {
  const { due, oldestDueSeconds, heldBack, workOldestDueSeconds } = metrics;
  const forget = () => {
    for (const gauge of [due, oldestDueSeconds, heldBack, workOldestDueSeconds]) gauge.reset();
  };
  try {
    const at = now();
    const [backlogs, atRate] = [await readBacklogs(db, at), await providersAtRate(db)];
    forget();
    for (const { provider, pace, breaker } of parts) {
      const { name, limits } = provider;
      const isHeldBack = (memory.outages.get(breaker.key) ?? null) !== null || pace.isFar() || atRate.includes(name);
      due.set({ provider: name }, 0);
      heldBack.set({ provider: name }, isHeldBack ? 1 : 0);
      const isBusy = pace.calls.look() >= MANY_CALLS * limits.concurrency;
      const oldest = backlogs.find((backlog) => backlog.provider === name);
      workOldestDueSeconds.set(
        { work: name },
        oldest && !isHeldBack && !isBusy ? secondsSince(oldest.oldestAt, at) : 0,
      );
    }
    for (const { provider, due: count, oldestAt } of backlogs) {
      due.set({ provider }, count);
      oldestDueSeconds.set({ provider }, secondsSince(oldestAt, at));
    }
  } catch (error) {
    forget();
    throw error;
  }
  return { more: false };
}

function secondsSince(then: Date, at: Date): number {
  return Math.max(0, at.getTime() - then.getTime()) / 1000;
}
