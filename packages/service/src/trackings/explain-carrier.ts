import { detectWithReasons } from '@pts/carriers/detection/detect';
import type { MatchReason } from '@pts/carriers/detection/format';
import { findCarrier } from '@pts/carriers/registry';
import type { Explained } from '@pts/db/trackings/explain';
import type { ServiceContext } from '../context.ts';
import { chooseServedCarrier } from './choose-carrier.ts';

const REASONS: Record<MatchReason, string> = {
  marks_and_check_digit:
    'a prefix (or other letters or digits) of its own, the length of its numbers, and the right check digit',
  check_digit: 'the length of its numbers and the right check digit; others have numbers of this form, too',
  wrong_check_digit: 'the form of its numbers, but the check digit is wrong: check the number for a typing error',
  marks: 'a prefix (or other letters or digits) of its own, and the length of its numbers; they have no check digit',
  form: 'only the length and kind of characters of its numbers, which others have, too',
  sandbox: 'a number of the sandbox carrier',
};

/** Why a tracking has its carrier, and whose number it may be, best first. */
export type CarrierExplanation = {
  code: string;
  name: string | null;
  chosenBy: 'merchant' | 'detection';
  message: string;
  candidates: { carrier: string; confidence: number; reason: string }[];
};

/** Why a tracking has the carrier that it has. */
export function explainCarrier(
  { carrier, detected, trackingNumber }: Pick<Explained, 'carrier' | 'detected' | 'trackingNumber'>,
  ctx: Pick<ServiceContext, 'providers' | 'sandbox'>,
): CarrierExplanation {
  const { carrier: best } = chooseServedCarrier(ctx, trackingNumber);
  const candidates = detectWithReasons(trackingNumber, ctx);
  return {
    code: carrier,
    name: findCarrier(carrier, ctx)?.name ?? null,
    chosenBy: detected ? 'detection' : 'merchant',
    message: messageOf(carrier, detected, best),
    candidates: candidates.map(({ reason, ...candidate }) => ({ ...candidate, reason: REASONS[reason] })),
  };
}

function messageOf(carrier: string, detected: boolean, best: string | null): string {
  if (!detected && best !== null && best !== carrier)
    return `The merchant named it; detection would choose ${best}. PATCH /api/v1/trackings/{id} with courier_code changes it.`;
  if (!detected) return 'The merchant named it.';
  return 'It was detected from the number. If it is wrong, name the right one: PATCH /api/v1/trackings/{id} with courier_code.';
}
