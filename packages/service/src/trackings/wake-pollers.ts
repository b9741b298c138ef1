import { chunks } from '@pts/core/chunks';
import type { Registered } from '@pts/db/trackings/register';
import type { ServiceContext } from '../context.ts';

/**
 * Wakes the pollers for trackings that were created, or whose carrier was named: one job per provider and call. A job that is lost costs a moment,
 * because the sweep finds the checks that are due.
 */
export async function wakePollers(
  { producer, providers }: Pick<ServiceContext, 'producer' | 'providers'>,
  trackings: readonly Pick<Registered, 'id' | 'provider' | 'created' | 'named'>[],
): Promise<void> {
  const created = trackings.filter(({ created, named }) => created || named);
  for (const { name, limits } of providers) {
    const ids = created.filter((tracking) => tracking.provider === name).map((tracking) => tracking.id);
    const jobs = chunks(ids, limits.batchSize).map((each) => ({ ids: each }));
    if (jobs.length > 0) await producer.query(name, jobs);
  }
}
