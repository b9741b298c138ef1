import type { Provider } from '@pts/carriers/provider';
import { chunks } from '@pts/core/chunks';
import { createBatcher } from '@pts/db/batcher';
import { queryQueue } from '@pts/queue/catalog';
import { type SpanStart, traced } from '@pts/runtime/tracing/tracing';
import type { ServiceContext } from '../context.ts';
import { createCallShares } from './call-shares.ts';

type Producer = ServiceContext['producer'];
/** A tracking that is due, and its provider's name. */
type Due = { id: string; provider: string };
/** A tracking whose provider is to be queried now. */
type WakeUp = { id: string; accountId: string; provider: Provider };

/** Calls whose wake-ups share jobs. */
const MAX_CALLS = 100;

const wakers = new WeakMap<Producer, ReturnType<typeof createWaker>>();

/**
 * Wakes the pollers for trackings that somebody waits for: one job per provider and call. Those beyond the account's share are left
 * to the sweep, which finds what is due within a second, as it does for a job that is lost. Wake-ups that come while one is enqueued
 * share the next.
 */
export async function wakePollers(
  { producer, providers }: Pick<ServiceContext, 'producer' | 'providers'>,
  accountId: string,
  trackings: readonly Due[],
): Promise<void> {
  const waker = wakers.get(producer) ?? createWaker(producer);
  wakers.set(producer, waker);
  const sent = providers.flatMap((provider) => {
    const own = trackings.filter((each) => each.provider === provider.name);
    if (own.length === 0) return [];
    const share = waker.take(provider, accountId, own.length);
    if (share === 0) return [];
    const wakeUps = own.slice(0, share).map(({ id }) => ({ id, accountId, provider }));
    return traced('send wake-ups', spanOf(provider), () => waker.gather(wakeUps));
  });
  await Promise.all(sent);
}

function spanOf({ name }: Provider): SpanStart {
  const attributes = {
    'messaging.system': 'bullmq',
    'messaging.operation.type': 'send',
    'messaging.operation.name': 'add',
    'messaging.destination.name': queryQueue(name),
  };
  return { kind: 'producer', attributes };
}

function createWaker(producer: Producer) {
  const gather = createBatcher({ max: MAX_CALLS, concurrency: 1 }, async (calls: (readonly WakeUp[])[]) => {
    await enqueue(producer, calls.flat());
    return calls.map(() => undefined);
  });
  return { gather, take: createCallShares() };
}

async function enqueue(producer: Producer, wakeUps: readonly WakeUp[]): Promise<void> {
  for (const provider of new Set(wakeUps.map((each) => each.provider))) {
    const own = wakeUps.filter((each) => each.provider === provider);
    const jobs = chunks(own, provider.limits.batchSize).map((each) => ({
      ids: each.map(({ id }) => id),
      accounts: [...new Set(each.map(({ accountId }) => accountId))],
    }));
    await producer.query(provider.name, jobs);
  }
}
