import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { findCarrier } from '@pts/carriers/registry';
import { BODY_BYTES } from '@pts/contract/body-limits';
import { detectRequest, detectResponse } from '@pts/contract/couriers';
import type { OperationDoc } from '@pts/contract/openapi/operation';
import { ServiceError } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import { numberFaults } from '@pts/service/trackings/registration';
import { type Operation, operation } from '../../http/operation.ts';
import { COURIER_EXAMPLE, viewCourier } from './all.ts';

/** POST /carrier/detect: whose number this may be, best first. It registers nothing. */
export const detectCarrier = detectAt('/carrier/detect', {
  id: 'detectCarrier',
  description:
    'Nothing is registered and nothing is charged. `carrier` is the one that a registration without `courier_code` would choose. A number that fits no carrier is answered with an empty list.',
});

/** The same under the API family's own path. */
export const detectCourier = detectAt('/couriers/detect', {
  id: 'detectCourier',
  description: 'The same as `POST /carrier/detect`, under the path that the API family uses.',
});

function detectAt(path: string, named: Pick<OperationDoc, 'id' | 'description'>): Operation {
  return operation({
    method: 'post',
    path,
    limit: 'detect',
    bodyBytes: BODY_BYTES.number,
    input: 'body',
    request: detectRequest,
    response: detectResponse,
    faults: (_deps, input) => numberFaults(input),
    doc: {
      ...named,
      tag: 'Carriers',
      summary: 'Detect whose number it is',
      errors: ['invalid_number', 'number_missing'],
      example: {
        request: { tracking_number: 'YT8962646785999' },
        response: {
          tracking_number: 'YT8962646785999',
          carrier: 'yto',
          candidates: [{ ...COURIER_EXAMPLE, confidence: 95 }],
        },
      },
    },
    async run(deps, _caller, input) {
      const number = normaliseNumber(input.tracking_number);
      if (number === null) throw new ServiceError('invalid_number');
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
