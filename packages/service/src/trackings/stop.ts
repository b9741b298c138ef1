import { unknownTracking } from '@pts/core/errors';
import type { TrackingRecord } from '@pts/db/trackings/records';
import { stopTracking as stop } from '@pts/db/trackings/stop';
import type { ServiceContext } from '../context.ts';
import { findRegistered } from './find.ts';

/**
 * Ends the polling of a tracking, which stays as it is; a retrack resumes it. Repeating it changes nothing.
 * @throws ServiceError `not_registered`.
 */
export async function stopTracking(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<TrackingRecord> {
  const { kind } = await stop(db, { accountId, id, now: now() });
  if (kind === 'not_registered') throw unknownTracking();
  return findRegistered({ db }, accountId, id);
}
