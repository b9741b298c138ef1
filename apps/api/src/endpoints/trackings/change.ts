import { updateTracking } from '@pts/contract/operations/trackings';
import { nothingToChange } from '@pts/core/errors';
import { changeFromWire } from '@pts/db/trackings/inputs';
import { changeTracking as change } from '@pts/service/trackings/change';
import { courierFaults } from '@pts/service/trackings/choose-carrier';
import { operation } from '../../http/operation.ts';
import { viewTracking } from './view.ts';

/** What can be changed: the fields of the request besides the path's. */
const { id: _id, ...CHANGEABLE } = updateTracking.request.properties;

/** PATCH /trackings/{id} */
export const changeTracking = operation(updateTracking, {
  faults: courierFaults,
  async run(deps, caller, { id, courier_code: code = '', ...fields }) {
    const inputs = changeFromWire(fields);
    // An empty field of a form must not move the tracking to a detected carrier, without its history.
    const courierCode = code.trim() === '' ? undefined : code;
    if (courierCode === undefined && Object.keys(inputs).length === 0) throw nothingToChange(Object.keys(CHANGEABLE));
    const wanted = { courierCode, ...inputs };
    return viewTracking(await change(deps, { accountId: caller.account.id, id, change: wanted }), deps, caller);
  },
});
