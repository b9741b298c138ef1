import type { ParcelKey } from '@pts/core/tracking/schedule';
import type { Parcels } from '../checks/schedule.ts';
import type { Db } from '../connection.ts';

/** The keys of parcels, as answers name them. Of one that does not exist, the account is empty. */
export async function keysOf(db: Db, ids: readonly string[]): Promise<ParcelKey[]> {
  const found = await db.tracking.findMany({ where: { id: { in: [...ids] } }, select: { id: true, accountId: true } });
  const accounts = new Map(found.map(({ id, accountId }) => [id, accountId]));
  return ids.map((trackingId) => ({ trackingId, accountId: accounts.get(trackingId) ?? '' }));
}

/** The same parcels, as a job names them. */
export async function parcelsOf(db: Db, ids: readonly string[]): Promise<Parcels> {
  return { ids, accounts: (await keysOf(db, ids)).map(({ accountId }) => accountId) };
}
