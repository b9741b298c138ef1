import { useMonitoredInterval as moveChecks } from '@pts/db/checks/schedule';
import type { ApiDeps } from './deps.ts';

/** Has an account's parcels checked as often as those of accounts with an enabled webhook: it has one now. */
export async function useMonitoredInterval(
  { db, monitoredSeconds, providers }: Pick<ApiDeps, 'db' | 'monitoredSeconds' | 'providers'>,
  accountId: string,
  now: Date,
): Promise<void> {
  const floors = providers.map(({ name, limits }) => ({ provider: name, floorSeconds: limits.floorSeconds }));
  await moveChecks(db, { accountId, monitoredSeconds, floors, now });
}
