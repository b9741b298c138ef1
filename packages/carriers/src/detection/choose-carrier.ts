import { SANDBOX } from '../registry.ts';
import { type Candidate, detect } from './detect.ts';

/** Below this a match says no more than that a carrier has numbers of this length. */
const LEAST_CONFIDENCE = 10;

/**
 * The carrier to register a number under that came without one, and the candidates it was chosen from.
 *
 * The best candidate is taken whenever it is strictly better than the next, even if it is only likely: a merchant
 * who sends a bare twelve-digit number wants it tracked, and can correct the carrier (`detected_carrier` says what was
 * taken). Two equals at the top, or nothing from 10 up, is not detectable: null, or the sandbox where it is enabled.
 */
export function chooseCarrier(
  number: string,
  options: { sandbox: boolean },
): { carrier: string | null; candidates: Candidate[] } {
  const candidates = detect(number, options);
  const [best, next] = candidates;
  const decided = best && best.confidence >= LEAST_CONFIDENCE && best.confidence > (next?.confidence ?? 0);
  if (decided) return { carrier: best.carrier, candidates };
  return { carrier: options.sandbox ? SANDBOX : null, candidates };
}
