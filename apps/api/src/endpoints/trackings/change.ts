import { updateTracking } from '@pts/contract/operations/trackings';
import { nothingToChange } from '@pts/core/faults';
import { changeTracking as change } from '@pts/service/trackings/change';
import { courierFaults } from '@pts/service/trackings/choose-carrier';
import { operation } from '../../http/operation.ts';
import { viewTracking } from './view.ts';

/** PATCH /trackings/{id} */
export const changeTracking = operation(updateTracking, {
  faults: courierFaults,
  async run(deps, caller, { id, courier_code: courierCode, title, order_id: orderId, metadata }) {
    if ([courierCode, title, orderId, metadata].every((value) => value === undefined)) {
      throw nothingToChange(['courier_code', 'title', 'order_id', 'metadata']);
    }
    const wanted = { courierCode, title, orderId, metadata };
    return viewTracking(await change(deps, { accountId: caller.account.id, id, change: wanted }), deps, caller);
  },
});
