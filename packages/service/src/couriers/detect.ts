import { chooseCarrier } from '@pts/carriers/detection/choose-carrier';
import { type Carrier, findCarrier } from '@pts/carriers/registry';
import { ServiceError } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import type { ServiceContext } from '../context.ts';

/** Possible carriers of the number, best first. `carrier` is the one that a registration would choose; null if none can be determined. */
export type Detection = {
  trackingNumber: string;
  carrier: string | null;
  candidates: { carrier: Carrier; confidence: number }[];
};

/** Detects the possible carriers of a number. Nothing is stored. @throws ServiceError `invalid_number`. */
export function detectCarrier({ sandbox }: Pick<ServiceContext, 'sandbox'>, text: string): Detection {
  const trackingNumber = normaliseNumber(text);
  if (trackingNumber === null) throw new ServiceError('invalid_number');
  const { carrier, candidates } = chooseCarrier(trackingNumber, { sandbox });
  const known = candidates.flatMap(({ carrier: code, confidence }) => {
    const found = findCarrier(code, { sandbox });
    return found ? [{ carrier: found, confidence }] : [];
  });
  return { trackingNumber, carrier, candidates: known };
}
