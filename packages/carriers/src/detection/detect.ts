import { SANDBOX } from '../registry/registry.ts';
import { type Format, type MatchReason, matchOf, reasonOf } from './format.ts';
import { formatsFor } from './format-index.ts';

/** A carrier that a number may belong to. `confidence` goes from 1 to 100. */
export type Candidate = { carrier: string; confidence: number };

/** The sandbox answers for `SBX`, the letters that name a journey, and a serial. */
const SANDBOX_NUMBER = /^SBX[A-Z]+\d+$/;

/** A candidate, and whether its only evidence is a number with a wrong check digit. */
export type Match = Candidate & { isTypo: boolean; format: Format | null };

/**
 * The carriers that a normalised number (`[A-Z0-9]{5,50}`) may belong to, best first, each once with the confidence
 * of its best form. Pure. Empty when no form matches; a form whose check digit is wrong does not.
 */
export function detect(number: string, options: { sandbox: boolean }): Candidate[] {
  return matches(number, options)
    .filter(({ isTypo }) => !isTypo)
    .map(({ carrier, confidence }) => ({ carrier, confidence }));
}

/** The same with the evidence for each, wrong check digits included; takes about a hundred times as long. */
export function detectWithReasons(
  number: string,
  options: { sandbox: boolean },
): (Candidate & { reason: MatchReason })[] {
  return matches(number, options).map(({ carrier, confidence, format }) => {
    return { carrier, confidence, reason: format === null ? 'sandbox' : reasonOf(format, number) };
  });
}

/** The matches of a number, those with a wrong check digit included. */
export function matches(number: string, options: { sandbox: boolean }): Match[] {
  if (options.sandbox && SANDBOX_NUMBER.test(number)) {
    return [{ carrier: SANDBOX, confidence: 100, isTypo: false, format: null }];
  }
  const best = new Map<string, Match>();
  for (const format of formatsFor(number)) {
    const [carrier] = format;
    const { confidence, isTypo } = matchOf(format, number);
    if (confidence > (best.get(carrier)?.confidence ?? 0)) best.set(carrier, { carrier, confidence, isTypo, format });
  }
  return [...best.values()].sort((a, b) => b.confidence - a.confidence);
}
