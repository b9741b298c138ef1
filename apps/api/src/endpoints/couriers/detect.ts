import type { Infer } from '@pts/contract/infer';
import { detectCarrier as carrierContract, detectCourier as courierContract } from '@pts/contract/operations/couriers';
import type { detectResponse } from '@pts/contract/schemas/couriers';
import { type Detection, detectCarrier as detect } from '@pts/service/couriers';
import { numberFaults } from '@pts/service/trackings/registration';
import type { ApiDeps } from '../../deps.ts';
import { type Handler, operation } from '../../http/operation.ts';
import { viewCandidate } from './view.ts';

const handler: Handler<typeof carrierContract> = {
  faults: (_deps, input) => numberFaults(input),
  run: async (deps, _caller, input) => view(deps, await detect(deps, input.tracking_number)),
};

/** POST /carrier/detect */
export const detectCarrier = operation(carrierContract, handler);
/** POST /couriers/detect */
export const detectCourier = operation(courierContract, handler);

function view(deps: ApiDeps, { trackingNumber, carrier, candidates }: Detection) {
  const viewed = candidates.map((candidate) => viewCandidate(deps, candidate));
  return { tracking_number: trackingNumber, carrier, candidates: viewed } satisfies Infer<typeof detectResponse>;
}
