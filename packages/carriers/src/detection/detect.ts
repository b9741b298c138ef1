import { SANDBOX } from '../registry.ts';
import { CHINESE } from './chinese.ts';
import { confidenceOf, type Format, type MatchReason, reasonOf } from './format.ts';
import { POSTS } from './posts.ts';
import { WESTERN } from './western.ts';

/** A carrier that a number may belong to. `confidence` goes from 1 to 100. */
export type Candidate = { carrier: string; confidence: number };

/** The sandbox answers for `SBX`, the letters that name a journey, and a serial. */
const SANDBOX_NUMBER = /^SBX[A-Z]+\d+$/;

/** In order of preference between equal confidences. */
const FORMATS: readonly Format[] = [...POSTS, ...CHINESE, ...WESTERN];

/**
 * The carriers that a normalised number (`[A-Z0-9]{5,50}`) may belong to, best first, each once with the confidence
 * of its best form. Pure. Empty when no form matches.
 */
export function detect(number: string, options: { sandbox: boolean }): Candidate[] {
  return matches(number, options).map(({ carrier, confidence }) => ({ carrier, confidence }));
}

/** The same with what speaks for each; takes some hundred times as long. */
export function detectWithReasons(
  number: string,
  options: { sandbox: boolean },
): (Candidate & { reason: MatchReason })[] {
  return matches(number, options).map(({ carrier, confidence, format }) => {
    return { carrier, confidence, reason: format === null ? 'sandbox' : reasonOf(format, number) };
  });
}

function matches(number: string, options: { sandbox: boolean }): (Candidate & { format: Format | null })[] {
  if (options.sandbox && SANDBOX_NUMBER.test(number)) return [{ carrier: SANDBOX, confidence: 100, format: null }];
  const best = new Map<string, { confidence: number; format: Format }>();
  for (const format of FORMATS) {
    const [carrier] = format;
    const confidence = confidenceOf(format, number);
    if (confidence > (best.get(carrier)?.confidence ?? 0)) best.set(carrier, { confidence, format });
  }
  return [...best].map(([carrier, match]) => ({ carrier, ...match })).sort((a, b) => b.confidence - a.confidence);
}
