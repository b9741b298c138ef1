import type { JourneyScan, Refusal, Says } from '../journeys/journey.ts';
import { GARBAGE, type Reply } from './wire.ts';

/** A number that was found: its scans (oldest first), and the number that the answer names, which a story may mix up. */
export type FoundNumber = { number: string; scans: readonly JourneyScan[] };

/** How a wire formats the carrier's answer about one number. */
type Writer = {
  found(found: FoundNumber): Reply;
  notFound: Reply;
  /** The documented error with this status: 400 for a number that cannot exist, 429, 500. */
  problem(status: 400 | 429 | 500, message: string): Reply;
};

/** The answer of a wire with one number per call. */
export function replyAbout(number: string, says: Says | undefined, writer: Writer): Reply {
  if (says === undefined) return writer.problem(500, 'No answer.');
  if (says.kind === 'found') return writer.found({ number: says.otherNumber ?? number, scans: says.scans });
  return says.kind === 'not_found' ? writer.notFound : replyToRefusal(says, writer.problem);
}

/** The answer to a call that the carrier refuses, in the wire's format. */
export function replyToRefusal(refusal: Refusal, problem: Writer['problem']): Reply {
  switch (refusal.failure) {
    case 'rate_limited':
      return { ...problem(429, refusal.message), headers: { 'retry-after': String(refusal.retryAfterSeconds ?? 10) } };
    case 'unreadable':
      return GARBAGE;
    case 'transient':
      return problem(500, refusal.message);
    case 'invalid_number':
    case 'needs_input':
      return problem(400, refusal.message);
    default:
      return refusal.failure satisfies never;
  }
}

/** From the answers to a call with several numbers, the one that fails the whole call, like trouble of a server. */
export function failureOfCall(says: readonly Says[]): Refusal | undefined {
  const isOfCall = (each: Says): each is Refusal =>
    each.kind === 'failed' && each.failure !== 'invalid_number' && each.failure !== 'needs_input';
  return says.find(isOfCall);
}
