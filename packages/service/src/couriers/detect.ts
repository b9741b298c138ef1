import { type Carrier, findCarrier } from '@pts/carriers/registry/registry';
import { refusal } from '@pts/core/errors';
import { normaliseNumber } from '@pts/core/tracking/number';
import { type ChoiceContext, chooseServedCarrier, loadLearned, numberFaults } from '../trackings/register.ts';

/**
 * Possible carriers of the number, best first. `carrier` is the one that a registration would choose; null if none can be
 * determined.
 */
export type Detection = {
  trackingNumber: string;
  carrier: string | null;
  candidates: { carrier: Carrier; confidence: number }[];
};

/** The possible carriers of a text as a number. Nothing is stored. @throws ServiceError `invalid_number`. */
export async function detectCarrier(ctx: ChoiceContext, text: string): Promise<Detection> {
  const { sandbox } = ctx;
  const trackingNumber = normaliseNumber(text);
  if (trackingNumber === null) throw refusal(numberFaults({ tracking_number: text }));
  await loadLearned(ctx, [trackingNumber]);
  const { carrier, candidates } = chooseServedCarrier(ctx, trackingNumber);
  const known = candidates.flatMap(({ carrier: code, confidence }) => {
    const found = findCarrier(code, { sandbox });
    return found ? [{ carrier: found, confidence }] : [];
  });
  return { trackingNumber, carrier, candidates: known };
}
