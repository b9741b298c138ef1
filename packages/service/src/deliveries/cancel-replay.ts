import { ServiceError } from '@pts/core/errors';
import { endReplay, findReplay, type Replay } from '@pts/db/deliveries/replays';
import type { ServiceContext } from '../context.ts';

/**
 * Stops a replay; messages that are already queued are still sent. A replay that has ended is returned unchanged.
 * @throws ServiceError `not_found`.
 */
export async function cancelReplay(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  key: { accountId: string; webhookId: string; id: string },
): Promise<Replay> {
  await endReplay(db, key, now());
  const replay = await findReplay(db, key);
  if (replay) return replay;
  throw new ServiceError('not_found', {
    text: 'No such replay. GET /api/v1/webhooks/{id}/replays lists the replays of a webhook.',
  });
}
