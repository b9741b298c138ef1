import { chunks } from '@pts/core/chunks';
import { createBatcher } from '@pts/db/connection/batcher';
import type { Registered } from '@pts/db/trackings/register';
import { traced } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';

type Producer = ServiceContext['producer'];
type New = Pick<Registered, 'id' | 'provider' | 'created' | 'named'>;
/** A tracking whose provider is to be queried now. */
type WakeUp = { id: string; accountId: string; provider: string; batchSize: number };

/** Calls whose wake-ups share jobs. */
const MAX_CALLS = 100;

const gatherers = new WeakMap<Producer, (wakeUps: readonly WakeUp[]) => Promise<void>>();

/**
 * Wakes the pollers for trackings that were created, or whose carrier was named: one job per provider and call. Wake-ups that come
 * while one is enqueued share the next. Nobody waits for them: a job that is lost costs a moment, because the sweep finds the checks
 * that are due.
 */
export function wakePollers(
  { producer, providers }: Pick<ServiceContext, 'producer' | 'providers'>,
  accountId: string,
  trackings: readonly New[],
): void {
  const wakeUps = providers.flatMap(({ name: provider, limits: { batchSize } }) =>
    trackings
      .filter((tracking) => tracking.provider === provider && (tracking.created || tracking.named))
      .map(({ id }) => ({ id, accountId, provider, batchSize })),
  );
  if (wakeUps.length === 0) return;
  const gather = gatherers.get(producer) ?? createGatherer(producer);
  gatherers.set(producer, gather);
  void traced('send wake-ups', {}, () => gather(wakeUps));
}

function createGatherer(producer: Producer): (wakeUps: readonly WakeUp[]) => Promise<void> {
  return createBatcher({ max: MAX_CALLS, concurrency: 1 }, async (calls) => {
    await enqueue(producer, calls.flat());
    return calls.map(() => undefined);
  });
}

async function enqueue(producer: Producer, wakeUps: readonly WakeUp[]): Promise<void> {
  const batchSizes = new Map(wakeUps.map(({ provider, batchSize }) => [provider, batchSize]));
  for (const [name, batchSize] of batchSizes) {
    const own = wakeUps.filter(({ provider }) => provider === name);
    await producer.query(
      name,
      chunks(own, batchSize).map((each) => ({
        ids: each.map(({ id }) => id),
        accounts: [...new Set(each.map(({ accountId }) => accountId))],
      })),
    );
  }
}
