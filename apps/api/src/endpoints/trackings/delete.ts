import { deleteTracking as contract } from '@pts/contract/operations/trackings';
import { ServiceError } from '@pts/core/errors';
import { deleteTracking } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';

/** DELETE /trackings/{id} */
export const removeTracking = operation(contract, {
  async run({ db }, { account }, { id }) {
    if (!(await deleteTracking(db, account.id, id))) throw new ServiceError('not_registered');
    return { id };
  },
});
