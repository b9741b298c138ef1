import { deleteTracking as contract } from '@pts/contract/trackings';
import { unknownTracking } from '@pts/core/errors';
import { deleteTracking } from '@pts/db/trackings/records';
import { operation } from '../../http/operation.ts';

/** DELETE /trackings/{id} */
export const removeTracking = operation(contract, {
  async run({ db }, { account }, { id }) {
    if (!(await deleteTracking(db, account.id, id))) throw unknownTracking();
    return { id };
  },
});
