import { unknownTracking } from '@pts/core/errors';
import { findTracking, type TrackingRecord } from '@pts/db/trackings/records';
import type { ServiceContext } from '../context.ts';

/** The tracking of this id. @throws ServiceError `not_registered` when the account has none. */
export async function findRegistered(
  { db }: Pick<ServiceContext, 'db'>,
  accountId: string,
  id: string,
): Promise<TrackingRecord> {
  const tracking = await findTracking(db, accountId, id);
  if (!tracking) throw unknownTracking();
  return tracking;
}
