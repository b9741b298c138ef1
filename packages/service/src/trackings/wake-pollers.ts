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
/** A tracking whose provider is to be queried now, and whether it is beyond the account's share. */
type WakeUp = { id: string; accountId: string; provider: Provider; isBulk: boolean };

/** Calls whose wake-ups share jobs. */
const MAX_CALLS = 100;

const wakers = new WeakMap<Producer, ReturnType<typeof createWaker>>();

/**
 * Wakes the pollers for trackings that somebody waits for: one job per provider and call; those beyond the account's share wait behind
 * others'. Wake-ups that come while one is enqueued share the next. A job that is lost costs a moment, because the sweep finds the
 * checks that are due.
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
    const wakeUps = own.map(({ id }, n) => ({ id, accountId, provider, isBulk: n >= share }));
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
    const wakeUps = calls.flat();
    const awaited = wakeUps.filter(({ isBulk }) => !isBulk);
    await enqueue(producer, awaited, false);
    const bulk = wakeUps.filter(({ isBulk }) => isBulk);
    await enqueue(producer, bulk, true);
    return calls.map(() => undefined);
  });
  return { gather, take: createCallShares() };
}

async function enqueue(producer: Producer, wakeUps: readonly WakeUp[], isBulk: boolean): Promise<void> {
  for (const provider of new Set(wakeUps.map((each) => each.provider))) {
    const own = wakeUps.filter((each) => each.provider === provider);
    const jobs = chunks(own, provider.limits.batchSize).map((each) => ({
      ids: each.map(({ id }) => id),
      accounts: [...new Set(each.map(({ accountId }) => accountId))],
    }));
    await producer.query(provider.name, jobs, isBulk);
  }
}
