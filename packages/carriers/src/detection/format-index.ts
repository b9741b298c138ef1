import { CHINESE } from './chinese.ts';
import type { Format } from './format.ts';
import { POSTS, S10_ITEMS } from './posts.ts';
import { shapeOf } from './shape.ts';
import { WESTERN } from './western.ts';

/** In order of preference between equal confidences. */
const SHAPED = [...POSTS, ...CHINESE, ...WESTERN].map((format) => ({ format, shape: shapeOf(format[1]) }));
const S10_LENGTH = 13;
const NONE: readonly Format[] = [];

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
