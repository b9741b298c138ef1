import type { Match } from './detect.ts';

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
export function lifted(matches: readonly Match[], finds: Finds): Match[] {
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
 * The match that earlier finds make certain: nearly all finds are of its carrier, and no check digit favors another one.
 * @param likely matches whose check digits, if any, are valid.
 */
export function provenBy(likely: readonly Match[], finds: Finds): string | null {
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
