import { SANDBOX } from '../registry.ts';
import { type Candidate, matches } from './detect.ts';

/** Below this a match says no more than that a carrier has numbers of this length. */
const LEAST_CONFIDENCE = 10;
/** From this confidence on, and this far ahead of the next, a carrier is certain enough to act on. */
const SURE = 70;
const LEAD = 10;

export type Choice = {
  /** Null when none can be chosen. */
  carrier: string | null;
  /** Whether the number's form decides, or the carrier is only the likeliest of several. */
  isSure: boolean;
  candidates: Candidate[];
};

/**
 * The carrier to register a number under that came without one, and the candidates it was chosen from.
 *
 * The best candidate is taken even if it is only likely: a merchant who sends a bare twelve-digit number wants it tracked, and
 * can correct the carrier. A carrier that nobody serves is taken only where nobody serves any. A wrong check digit, or nothing
 * from 10 up, is not detectable: null, or the sandbox where it is enabled.
 * @param options.serves whether some provider answers for a carrier; without it, all are taken to be served.
 */
export function chooseCarrier(
  number: string,
  { sandbox, serves = () => true }: { sandbox: boolean; serves?: (carrier: string) => boolean },
): Choice {
  const found = matches(number, { sandbox });
  const candidates = found.map(({ carrier, confidence }) => ({ carrier, confidence }));
  const likely = found.filter(({ confidence, isTypo }) => confidence >= LEAST_CONFIDENCE && !isTypo);
  const best = likely.find(({ carrier }) => serves(carrier)) ?? likely[0];
  if (!best) return { carrier: sandbox ? SANDBOX : null, isSure: false, candidates };
  const next = found.find(({ carrier }) => carrier !== best.carrier)?.confidence ?? 0;
  return { carrier: best.carrier, isSure: best.confidence >= SURE && best.confidence - next >= LEAD, candidates };
}
