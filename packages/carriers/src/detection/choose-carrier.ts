import { SANDBOX } from '../registry/registry.ts';
import { type Candidate, type Match, matches } from './detect.ts';
import { type Finds, lifted, provenBy } from './learned.ts';

/** Below this, a match only says that a carrier has numbers of this length. */
export const MIN_CONFIDENCE = 10;
/** From this confidence on, and this far ahead of the next, a carrier is certain enough to act on. */
const SURE = 70;
export const LEAD = 10;

export type Choice = {
  /** Null when none can be chosen. */
  carrier: string | null;
  /** Whether the number's form or learned finds decide; otherwise the carrier is the likeliest of several. */
  isSure: boolean;
  /** Including learned finds, best first. */
  candidates: Candidate[];
  /** The served carriers to check one after another, best first; empty where one is sure or none is served. */
  undecided: Candidate[];
};

type Options = {
  sandbox: boolean;
  /** Whether some provider answers for a carrier; without it, all count as served. */
  serves?: (carrier: string) => boolean;
  /** First answers about numbers with this prefix. */
  finds?: Finds;
};

/**
 * The carrier to register a number under if none was named, and the candidates it was chosen from.
 *
 * If none is certain, the likeliest served one stands for the others until one of them knows the number. It does not depend
 * on learned finds, so that two simultaneous registrations have the same key. An unserved carrier is chosen only if
 * none is served. A wrong check digit, or no candidate of at least 10, is not detectable: null, or the sandbox if it is enabled.
 */
export function chooseCarrier(number: string, { sandbox, serves = () => true, finds = {} }: Options): Choice {
  const found = matches(number, { sandbox });
  const withFinds = lifted(found, finds);
  const candidates = withFinds.filter(({ isTypo }) => !isTypo).map(plain);
  const likely = found.filter(isLikely);
  const best = likely.find(({ carrier }) => serves(carrier)) ?? likely[0];
  if (!best) return { carrier: sandbox ? SANDBOX : null, isSure: false, candidates, undecided: [] };
  if (isSure(best, found)) return { carrier: best.carrier, isSure: true, candidates, undecided: [] };
  const proven = provenBy(likely, finds);
  if (proven !== null && serves(proven)) return { carrier: proven, isSure: true, candidates, undecided: [] };
  const undecided = withFinds.filter((match) => isLikely(match) && serves(match.carrier)).map(plain);
  return { carrier: best.carrier, isSure: false, candidates, undecided };
}

/** Whether the form of a number decides, so that finds of similar numbers teach nothing. */
export function isSureByForm(number: string): boolean {
  return chooseCarrier(number, { sandbox: true }).isSure;
}

function isLikely({ confidence, isTypo }: Match): boolean {
  return confidence >= MIN_CONFIDENCE && !isTypo;
}

function isSure(best: Match, found: readonly Match[]): boolean {
  const next = found.find(({ carrier }) => carrier !== best.carrier)?.confidence ?? 0;
  return best.confidence >= SURE && best.confidence - next >= LEAD;
}

function plain({ carrier, confidence }: Match): Candidate {
  return { carrier, confidence };
}
