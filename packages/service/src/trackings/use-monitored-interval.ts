import { useMonitoredInterval as moveChecks } from '@pts/db/checks/schedule';
import type { ServiceContext } from '../context.ts';

/** Moves the checks of an account to the monitored interval: it has an enabled webhook now. */
export async function useMonitoredInterval(
  { db, monitoredSeconds, providers, now }: Pick<ServiceContext, 'db' | 'monitoredSeconds' | 'providers' | 'now'>,
  accountId: string,
): Promise<void> {
  const floors = providers.map(({ name, limits }) => ({ provider: name, floorSeconds: limits.floorSeconds }));
  await moveChecks(db, { accountId, monitoredSeconds, floors, now: now() });
}
