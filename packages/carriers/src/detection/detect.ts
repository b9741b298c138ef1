import { type Carrier, carriers, SANDBOX } from '../registry/registry.ts';
import { CHINESE } from './chinese.ts';
import { type Format, type MatchReason, matchOf, reasonOf, shapeOf } from './format.ts';
import { POSTS, S10_ITEMS } from './posts.ts';
import { WESTERN } from './western.ts';
import { WORLD } from './world.ts';

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

/**
 * Does what `detect` does, with the evidence for each carrier, wrong check digits included; takes about a hundred times
 * as long.
 */
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

/** In order of preference between equal confidences. */
const SHAPED = [...POSTS, ...CHINESE, ...WESTERN, ...WORLD].map((format) => ({ format, shape: shapeOf(format[1]) }));
const S10_LENGTH = 13;
const NONE: readonly Format[] = [];

/** The carriers without a known form of numbers: their numbers are registered with a `courier_code`. */
export function carriersWithoutForm(): readonly Carrier[] {
  const formats = [...SHAPED.map(({ format }) => format), ...[...S10_ITEMS.values()].flat()];
  const known = new Set(formats.map(([carrier]) => carrier));
  return carriers({ sandbox: false }).filter(({ code }) => !known.has(code));
}

/** By length and first character; a number has at most 50 of 36, which bounds it. */
const buckets = new Map<string, readonly Format[]>();

/** The forms that a normalised number may be of: all others have another length or beginning. */
export function formatsFor(number: string): readonly Format[] {
  const own = bucketFor(number.length, number.charAt(0));
  const items = number.length === S10_LENGTH ? S10_ITEMS.get(number.slice(-2)) : undefined;
  return items === undefined ? own : [...items, ...own];
}

function bucketFor(length: number, first: string): readonly Format[] {
  if (length > 50) return NONE;
  const key = `${first}${length}`;
  const known = buckets.get(key);
  if (known !== undefined) return known;
  const bucket = SHAPED.filter(({ shape }) => shape.min <= length && length <= shape.max && shape.first.has(first));
  const formats = bucket.map(({ format }) => format);
  buckets.set(key, formats);
  return formats;
}
