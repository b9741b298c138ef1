import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { findCarrier } from '@pts/carriers/registry';
import { detectRequest, detectResponse } from '@pts/contract/couriers';
import { ApiError } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import { type Endpoint, endpoint } from '../endpoint.ts';
import { viewCourier } from './couriers-all.ts';

/** POST /carrier/detect: whose number this may be, best first. It registers nothing. */
export const detectCarrier = detectAt('/carrier/detect');

/** The same under the API family's own path. */
export const detectCourier = detectAt('/couriers/detect');

function detectAt(path: string): Endpoint {
  return endpoint({
    method: 'post',
    path,
    limit: 'detect',
    input: 'body',
    request: detectRequest,
    response: detectResponse,
    async run(deps, _caller, input) {
      const number = normaliseNumber(input.tracking_number);
      if (number === null) throw new ApiError('invalid_number');
      const { carrier, candidates } = chooseCarrier(number, { sandbox: deps.sandbox });
      return {
        tracking_number: number,
        carrier,
        candidates: candidates.flatMap(({ carrier: code, confidence }) => {
          const found = findCarrier(code, { sandbox: deps.sandbox });
          return found ? [{ ...viewCourier(deps, found), confidence }] : [];
        }),
      };
    },
  });
}
