import { deletedTracking, trackingById } from '@pts/contract/trackings';
import { ServiceError } from '@pts/core/errors';
import { deleteTracking } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';

/** DELETE /trackings/{id}: watches a parcel no longer, and forgets it. */
export const removeTracking = operation({
  method: 'delete',
  path: '/trackings/:id',
  limit: 'trackings.one',
  input: 'params',
  request: trackingById,
  response: deletedTracking,
  doc: {
    id: 'deleteTracking',
    tag: 'Trackings',
    summary: 'Remove a tracking',
    description:
      'It is watched no longer and cannot be read any more. Its unit of quota is not given back; registering the number again is charged. What is already owed to webhooks is still delivered, and its events stay in `GET /events`.',
    errors: ['not_registered', 'invalid_id', 'not_found'],
    example: { response: { id: '691f0a3c5d2b4e6f8a9c0d1e' } },
  },
  async run({ db }, { account }, { id }) {
    if (!(await deleteTracking(db, account.id, id))) throw new ServiceError('not_registered');
    return { id };
  },
});
