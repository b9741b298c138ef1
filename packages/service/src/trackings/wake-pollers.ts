import { chunks } from '@pts/core/chunks';
import { createBatcher } from '@pts/db/connection/batcher';
import type { Registered } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'producer' | 'providers'>;
type New = Pick<Registered, 'id' | 'provider' | 'created' | 'named'>;

/** Calls whose wake-ups share jobs. */
const MAX_CALLS = 100;

const gatherers = new WeakMap<Context['producer'], (trackings: readonly New[]) => Promise<void>>();

/**
 * Wakes the pollers for trackings that were created, or whose carrier was named: one job per provider and call. Wake-ups that come
 * while one is enqueued share the next. A job that is lost costs a moment, because the sweep finds the checks that are due.
 */
export async function wakePollers(ctx: Context, trackings: readonly New[]): Promise<void> {
  const wanted = trackings.filter(({ created, named }) => created || named);
  if (wanted.length === 0) return;
  const { producer, providers } = ctx;
  const gather =
    gatherers.get(producer) ??
    createBatcher({ most: MAX_CALLS, atOnce: 1 }, async (calls: (readonly New[])[]) => {
      await enqueue({ producer, providers }, calls.flat());
      return calls.map(() => undefined);
    });
  gatherers.set(producer, gather);
  await gather(wanted);
}

async function enqueue({ producer, providers }: Context, trackings: readonly New[]): Promise<void> {
  for (const { name, limits } of providers) {
    const ids = trackings.filter(({ provider }) => provider === name).map(({ id }) => id);
    const jobs = chunks(ids, limits.batchSize).map((each) => ({ ids: each }));
    if (jobs.length > 0) await producer.query(name, jobs);
  }
}
