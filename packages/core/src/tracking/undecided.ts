import type { CarrierAnswer } from './answer.ts';
import type { Change } from './change.ts';

/** Candidate carriers of a number whose carrier is not known yet. */
export const MAX_CANDIDATES = 4;

/** A carrier that a number may belong to, and the provider to query. */
export type CandidateCarrier = {
  carrier: string;
  provider: string;
  /** It has reported the number as invalid and is not checked again. */
  isRuledOut?: true;
};

/**
 * A number whose carrier is not known yet. Its candidates are checked one after the other: the first round as fast as
 * the providers' floors allow, then one at each regular check.
 */
export type Undecided = {
  /** In the order of their checks. */
  candidates: CandidateCarrier[];
  /** The index of the current one. */
  at: number;
  /** Whether some have not been checked since the registration or the last retrack. */
  isFirstRound: boolean;
  /** When the first round began: ISO 8601 UTC. */
  since: string;
  /** When each provider was last queried: ISO 8601 UTC. */
  asked: Record<string, string>;
};

/**
 * An answer's meaning for a candidate. `outage`: the provider has failed for so long that the next candidate follows.
 */
export type CandidateAnswer = 'found' | 'not_found' | 'needs_input' | 'invalid_number' | 'outage';

/**
 * The consequence of an answer. `nobody`: every candidate reports the number as invalid. `stay`: there is no other
 * candidate to check.
 */
export type CandidateVerdict =
  | { kind: 'stay' }
  | { kind: 'decided'; carrier: string; provider: string }
  | { kind: 'ask'; undecided: Undecided; isAtOnce: boolean }
  | { kind: 'nobody' };

/** The state of a number before the first answer. @param candidates in the order of their checks, at least one. */
export function startRound(
  candidates: readonly CandidateCarrier[],
  now: Date,
  asked: Undecided['asked'] = {},
): Undecided {
  return {
    candidates: candidates.slice(0, MAX_CANDIDATES),
    at: 0,
    isFirstRound: true,
    since: now.toISOString(),
    asked,
  };
}

/**
 * A retrack checks all of them again, starting with the current one, including those that reported the number as
 * invalid.
 */
export function restartRound({ candidates, at, asked }: Undecided, now: Date): Undecided {
  const again = candidates.map(({ carrier, provider }) => ({ carrier, provider }));
  return startRound([...again.slice(at), ...again.slice(0, at)], now, asked);
}

/** The current candidate. */
export function currentOf({ candidates, at }: Undecided): CandidateCarrier | undefined {
  return candidates[at];
}

/**
 * The next state after an answer of the current candidate. A find decides; any other answer moves on to the next
 * candidate. An outage only moves on to another one that can be queried.
 * @param isAvailable whether a provider can be queried; the candidates of others are skipped.
 */
export function nextCandidate(
  undecided: Undecided,
  said: CandidateAnswer,
  { now, isAvailable = () => true }: { now: Date; isAvailable?: (provider: string) => boolean },
): CandidateVerdict {
  const { at, since, isFirstRound } = undecided;
  const current = currentOf(undecided);
  if (!current) return { kind: 'nobody' };
  if (said === 'found') return { kind: 'decided', carrier: current.carrier, provider: current.provider };
  const candidates = undecided.candidates.map((candidate, index) =>
    index === at && said === 'invalid_number' ? { ...candidate, isRuledOut: true as const } : candidate,
  );
  const open = candidates.flatMap(({ isRuledOut }, index) => (isRuledOut ? [] : [index]));
  if (open.length === 0) return { kind: 'nobody' };
  const askable = open.filter((index) => isAvailable(candidates[index]?.provider ?? ''));
  const [first = at] = askable.length > 0 ? askable : open;
  const later = askable.find((index) => index > at);
  if (said === 'outage' && (askable.length === 0 || (later ?? first) === at)) return { kind: 'stay' };
  const asked = { ...undecided.asked, [current.provider]: now.toISOString() };
  const isAtOnce = isFirstRound && later !== undefined;
  return { kind: 'ask', undecided: { candidates, at: later ?? first, isFirstRound: isAtOnce, since, asked }, isAtOnce };
}

/** The meaning of an answer for a candidate, once applied: scans of another parcel are not a find. */
export function candidateAnswerOf(answer: CarrierAnswer, { after, isQuarantined }: Change): CandidateAnswer {
  switch (answer.kind) {
    case 'found':
      return after.scans.length > 0 && !isQuarantined ? 'found' : 'not_found';
    case 'not_found':
      return 'not_found';
    case 'failed':
      return answer.failure === 'needs_input' || answer.failure === 'invalid_number' ? answer.failure : 'outage';
    default:
      return answer satisfies never;
  }
}

/**
 * The earliest time for the next query: not before the floor of its provider.
 * @param floorSeconds of that provider.
 */
export function allowedAt(undecided: Undecided, floorSeconds: number, now: Date): Date {
  const last = undecided.asked[currentOf(undecided)?.provider ?? ''];
  const earliest = last === undefined ? 0 : Date.parse(last) + floorSeconds * 1000;
  return new Date(Math.max(now.getTime(), earliest));
}

/** The codes of the candidates, as merchants see them: those that reported the number as invalid are left out. */
export function candidateCodes({ candidates }: Undecided): string[] {
  return candidates.filter(({ isRuledOut }) => !isRuledOut).map(({ carrier }) => carrier);
}
