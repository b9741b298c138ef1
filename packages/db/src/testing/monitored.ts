import { moveToMonitored, wantMonitored } from '../checks/schedule.ts';
import type { Db } from '../connection.ts';

/** What enabling a webhook of an account has the pollers do, to its end. */
export async function useMonitoredInterval(
  db: Db,
  input: { accountId: string; monitoredSeconds: number; floors: Readonly<Record<string, number>>; now: Date },
): Promise<void> {
  await wantMonitored(db, input.accountId);
  while (await moveToMonitored(db, input));
}
