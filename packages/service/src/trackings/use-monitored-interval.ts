import { useMonitoredInterval as moveChecks } from '@pts/db/checks/schedule';
import type { ServiceContext } from '../context.ts';

/** Has an account's parcels checked as often as those of accounts with an enabled webhook: it has one now. */
export async function useMonitoredInterval(
  { db, monitoredSeconds, providers, now }: Pick<ServiceContext, 'db' | 'monitoredSeconds' | 'providers' | 'now'>,
  accountId: string,
): Promise<void> {
  const floors = providers.map(({ name, limits }) => ({ provider: name, floorSeconds: limits.floorSeconds }));
  await moveChecks(db, { accountId, monitoredSeconds, floors, now: now() });
}
