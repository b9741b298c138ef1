import type { Cost } from '../provider.ts';
import { SANDBOX } from '../registry/registry.ts';
import { type Candidate, type Match, matches } from './detect.ts';
import { liftedByCountry, liftedByFinds, type NumberEvidence, provenBy } from './evidence.ts';

/** Below this, a match only says that a carrier has numbers of this length. */
export const MIN_CONFIDENCE = 10;
/** From this confidence on, and this far ahead of the next, a carrier is certain enough to act on. */
const SURE = 70;
const LEAD = 10;

export type Choice = {
  /** Null when none can be chosen. */
  carrier: string | null;
  /** Whether the number's form or learned finds decide; otherwise the carrier is the likeliest of several. */
  isSure: boolean;
  /** The candidates with all evidence, best first. */
  candidates: Candidate[];
  /**
   * The served carriers to check one after another, best first; empty where one is sure or none is served. `isUsual`
   * marks the one that the form alone makes the likeliest.
   */
  undecided: (Candidate & { isUsual: boolean })[];
};

type Options = NumberEvidence & {
  sandbox: boolean;
  /** Whether some provider answers for a carrier; without it, all count as served. */
  serves?: (carrier: string) => boolean;
};

/**
 * The carrier to register a number under if none was named, and the candidates it was chosen from.
 *
 * If the form makes none certain, the likeliest served one in the countries of the parcel stands for the others until
 * one of them knows the number. It does not depend on finds, so that two simultaneous registrations have the same key.
 * An unserved carrier is chosen only if none is served. A wrong check digit, or no candidate of at least 10, is not
 * detectable: null, or the sandbox if it is enabled.
 */
export function chooseCarrier(number: string, { sandbox, serves = () => true, ...evidence }: Options): Choice {
  const byForm = matches(number, { sandbox });
  const found = liftedByCountry(byForm, evidence.countries ?? []);
  const withFinds = liftedByFinds(found, evidence);
  const candidates = withFinds.filter(({ isTypo }) => !isTypo).map(plain);
  const usual = bestServed(byForm.filter(isLikely), serves);
  if (usual && isSure(usual, byForm)) return { carrier: usual.carrier, isSure: true, candidates, undecided: [] };
  const likely = found.filter(isLikely);
  const best = bestServed(likely, serves);
  if (!best) return { carrier: sandbox ? SANDBOX : null, isSure: false, candidates, undecided: [] };
  const proven = provenBy(likely, evidence.finds ?? {});
  if (proven !== null && serves(proven)) return { carrier: proven, isSure: true, candidates, undecided: [] };
  const undecided = withFinds
    .filter((match) => isLikely(match) && serves(match.carrier))
    .map((match) => ({ ...plain(match), isUsual: match.carrier === usual?.carrier }));
  return { carrier: best.carrier, isSure: false, candidates, undecided };
}

/** The likeliest of a served carrier; the likeliest of all where none is served. */
function bestServed(likely: readonly Match[], serves: (carrier: string) => boolean): Match | undefined {
  return likely.find(({ carrier }) => serves(carrier)) ?? likely[0];
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

/** A candidate, and the requirements of its carrier. */
export type Askable = Candidate & {
  /** Whether the form alone makes it the likeliest. */
  isUsual?: boolean;
  cost: Cost;
  /** Whether the carrier requires a field that was not given, such as a phone. */
  lacksInput: boolean;
};

const CHEAPEST_FIRST: readonly Cost[] = ['free', 'per call', 'per number'];

/**
 * The order in which candidates are checked: the likeliest first; the cheapest first among those that are less than 10
 * apart; those that require a missing field last. The usual carrier of the form is among them: evidence may be wrong.
 * @param max how many of the likeliest are checked.
 */
export function askOrder<A extends Askable>(candidates: readonly A[], max: number): A[] {
  const sorted = candidates.toSorted((a, b) => b.confidence - a.confidence);
  const usual = sorted.slice(max).filter(({ isUsual }) => isUsual);
  const likeliest = [...sorted.slice(0, max - usual.length), ...usual];
  const ordered = tiesOf(likeliest).flatMap((tie) => tie.toSorted((a, b) => costOf(a) - costOf(b)));
  return [...ordered.filter(({ lacksInput }) => !lacksInput), ...ordered.filter(({ lacksInput }) => lacksInput)];
}

/** Groups of candidates that are less than 10 below the best of their group. */
function tiesOf<A extends Askable>(sorted: readonly A[]): A[][] {
  const ties: A[][] = [];
  for (const candidate of sorted) {
    const tie = ties.at(-1);
    const best = tie?.[0];
    if (tie && best && best.confidence - candidate.confidence < LEAD) tie.push(candidate);
    else ties.push([candidate]);
  }
  return ties;
}

function costOf({ cost }: Askable): number {
  return CHEAPEST_FIRST.indexOf(cost);
}
