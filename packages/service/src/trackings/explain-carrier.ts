import { detectWithReasons } from '@pts/carriers/detection/detect';
import type { MatchReason } from '@pts/carriers/detection/format';
import { carrierPage, findCarrier } from '@pts/carriers/registry/registry';
import { candidateCodes, currentOf, type Undecided } from '@pts/core/tracking/undecided';
import type { Explained } from '@pts/db/trackings/explain';
import type { ServiceContext } from '../context.ts';
import { chooseServedCarrier } from './choose-carrier.ts';

const REASONS: Record<MatchReason, string> = {
  marks_and_check_digit:
    'its own prefix (or other letters or digits), the length of its numbers, and a valid check digit',
  check_digit: 'the length of its numbers and a valid check digit; other carriers use the same format',
  wrong_check_digit: 'the format of its numbers, but the check digit is wrong: check the number for typing errors',
  marks: 'its own prefix (or other letters or digits) and the length of its numbers; they have no check digit',
  form: 'only the length and kind of characters of its numbers, which other carriers use too',
  sandbox: 'a number of the sandbox carrier',
};

/** Why a tracking has its carrier, and the possible carriers of its number, best first. */
export type CarrierExplanation = {
  code: string;
  name: string | null;
  /** The page of the parcel on its site, or the site. */
  pageUrl: string | null;
  chosenBy: 'merchant' | 'detection';
  message: string;
  candidates: { carrier: string; confidence: number; reason: string }[];
  /** The codes of the carriers that are checked one after another; empty once it is known. */
  askedInTurn: string[];
};

type Subject = Pick<Explained, 'carrier' | 'detected' | 'trackingNumber' | 'candidates'>;

/** Why a tracking has its carrier. */
export function explainCarrier(
  { carrier, detected, trackingNumber, candidates: open }: Subject,
  ctx: Pick<ServiceContext, 'providers' | 'sandbox'>,
): CarrierExplanation {
  const { carrier: best } = chooseServedCarrier(ctx, trackingNumber);
  const candidates = detectWithReasons(trackingNumber, ctx);
  const found = findCarrier(carrier, ctx);
  return {
    code: carrier,
    name: found?.name ?? null,
    pageUrl: found ? carrierPage(found, trackingNumber) : null,
    chosenBy: detected ? 'detection' : 'merchant',
    message: open ? searchMessage(open) : messageOf(carrier, detected, best),
    candidates: candidates.map(({ reason, ...candidate }) => ({ ...candidate, reason: REASONS[reason] })),
    askedInTurn: open ? candidateCodes(open) : [],
  };
}

function searchMessage(open: Undecided): string {
  const current = currentOf(open)?.carrier ?? '';
  return `It is not known yet: the number may belong to ${candidateCodes(open).join(', ')}. They are checked one after another, next ${current}; the first one that knows the number becomes the carrier. To name it, send courier_code with PATCH /api/v1/trackings/{id}.`;
}

function messageOf(carrier: string, detected: boolean, best: string | null): string {
  if (!detected && best !== null && best !== carrier)
    return `You named it; detection would choose ${best}. To change it, send courier_code with PATCH /api/v1/trackings/{id}.`;
  if (!detected) return 'You named it.';
  return 'It was detected from the number. If it is wrong, send the right courier_code with PATCH /api/v1/trackings/{id}.';
}
