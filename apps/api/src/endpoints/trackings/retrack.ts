import { retrackByNumber, retrackTracking } from '@pts/contract/operations/retrack';
import type { Fault } from '@pts/core/errors';
import { toUtcSeconds } from '@pts/core/time';
import { courierFaults } from '@pts/service/trackings/choose-carrier';
import { numberFaults } from '@pts/service/trackings/registration';
import { retrackTracking as byId, retrackByNumber as byNumber, type Retracked } from '@pts/service/trackings/retrack';
import { operation } from '../../http/operation.ts';

/** POST /trackings/retrack/{id} */
export const retrackByPath = operation(retrackTracking, {
  run: async (deps, { account }, { id }) => view(await byId(deps, { accountId: account.id, id })),
});

/** POST /trackings/retrack */
export const retrackByBody = operation(retrackByNumber, {
  faults: (deps, input) => [...nothingNamed(input), ...numberFaults(input), ...courierFaults(deps, input)],
  async run(deps, { account }, { id, tracking_number: trackingNumber, courier_code: courierCode }) {
    const accountId = account.id;
    if (trackingNumber !== undefined) return view(await byNumber(deps, { accountId, id, trackingNumber, courierCode }));
    // A body with neither was refused above.
    return view(await byId(deps, { accountId, id: id ?? '' }));
  },
});

function view({ id, status, retrackedAt }: Retracked) {
  return { id, status, retracked_at: toUtcSeconds(retrackedAt) };
}

function nothingNamed(input: Record<string, unknown>): Fault[] {
  if (input.id !== undefined || input.tracking_number !== undefined) return [];
  return [{ field: 'tracking_number', message: 'is missing: send it or id', error: 'number_missing' }];
}
