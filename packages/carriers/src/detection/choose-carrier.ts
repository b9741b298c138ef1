import type { Cost } from '../provider.ts';
import { SANDBOX } from '../registry/registry.ts';
import { type Candidate, type Match, matches } from './detect.ts';

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
 * If none is certain, the likeliest served one stands for the others until one of them knows the number. It does not
 * depend on learned finds, so that two simultaneous registrations have the same key. An unserved carrier is chosen only
 * if none is served. A wrong check digit, or no candidate of at least 10, is not detectable: null, or the sandbox if it
 * is enabled.
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

/** First answers about numbers with the same prefix, by carrier, decayed. */
export type Finds = Readonly<Record<string, number>>;

const PREFIX_LENGTH = 6;
/** This many finds are full evidence ... */
const ENOUGH_FINDS = 5;
/** ... and this share of them makes a carrier certain. */
const CLEAR_SHARE = 0.9;
/** The most that finds add to a confidence, and the limit: from 70 on, only the form decides. */
const MAX_LIFT = 25;
const LIFTED_TO = 69;

/** The common prefix of numbers for learning: their length and their first six characters. */
export function prefixOf(number: string): string {
  return `${number.length}:${number.slice(0, PREFIX_LENGTH)}`;
}

/** The matches with what earlier finds add, best first. A match with a wrong check digit gains nothing. */
function lifted(matches: readonly Match[], finds: Finds): Match[] {
  const total = totalOf(finds);
  if (total === 0) return [...matches];
  const evidence = Math.min(1, total / ENOUGH_FINDS);
  return matches
    .map((match) => {
      const gain = match.isTypo ? 0 : MAX_LIFT * evidence * (findsOf(finds, match.carrier) / total);
      const confidence = Math.max(match.confidence, Math.min(LIFTED_TO, Math.round(match.confidence + gain)));
      return { ...match, confidence };
    })
    .sort((a, b) => b.confidence - a.confidence);
}

/**
 * The match that earlier finds make certain: nearly all finds are of its carrier, and no check digit favors another
 * one.
 * @param likely matches whose check digits, if any, are valid.
 */
function provenBy(likely: readonly Match[], finds: Finds): string | null {
  const total = totalOf(finds);
  const proven = likely.find(({ carrier }) => findsOf(finds, carrier) / total >= CLEAR_SHARE);
  if (!proven || total < ENOUGH_FINDS) return null;
  const isContradicted = likely.some((match) => match.carrier !== proven.carrier && hasCheckDigit(match));
  return isContradicted && !hasCheckDigit(proven) ? null : proven.carrier;
}

function hasCheckDigit({ format }: Match): boolean {
  return format?.[3] !== undefined;
}

function findsOf(finds: Finds, carrier: string): number {
  return Object.hasOwn(finds, carrier) ? (finds[carrier] ?? 0) : 0;
}

function totalOf(finds: Finds): number {
  return Object.values(finds).reduce((sum, count) => sum + count, 0);
}

/** A candidate, and the requirements of its carrier. */
export type Askable = Candidate & {
  cost: Cost;
  /** Whether the carrier requires a field that was not given, such as a phone. */
  lacksInput: boolean;
};

const CHEAPEST_FIRST: readonly Cost[] = ['free', 'per call', 'per number'];

/**
 * The order in which candidates are checked: the likeliest first; the cheapest first among those that are less than 10
 * apart; those that require a missing field last.
 * @param most how many of the likeliest are checked.
 */
export function askOrder<A extends Askable>(candidates: readonly A[], max: number): A[] {
  const likeliest = candidates.toSorted((a, b) => b.confidence - a.confidence).slice(0, max);
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
