import type { CarrierAnswer } from '@pts/core/tracking/answer';
import type { JsonObject } from '../json.ts';
import { isSameNumber } from '../number.ts';
import { failed } from './failure.ts';
import type { Asked } from './manifest.ts';

/** The numbers that an item of an answer names; none if it names none. */
export type NumbersOf = (item: JsonObject) => readonly string[];

/**
 * The answer for one of the requested numbers, by number and not by position. Without an item about it, the number is not
 * registered, unless an item is about a number that was not requested: then the answers may be mixed up.
 * @param read reads the items about the number; there is at least one.
 */
export function answerByNumber(
  items: readonly JsonObject[],
  numbersOf: NumbersOf,
  { asked, all, provider }: { asked: Asked; all: readonly Asked[]; provider: string },
  read: (items: readonly [JsonObject, ...JsonObject[]]) => CarrierAnswer,
): CarrierAnswer {
  const isAbout = (item: JsonObject, { number }: Asked) => numbersOf(item).some((each) => isSameNumber(each, number));
  const [first, ...others] = items.filter((item) => isAbout(item, asked));
  if (first) return read([first, ...others]);
  const foreign = items.find((item) => !all.some((each) => isAbout(item, each)));
  const [number = 'something else'] = foreign ? numbersOf(foreign) : [];
  return foreign
    ? failed('unreadable', `${provider} answered about ${number}`)
    : { kind: 'not_found', isUnregistered: true };
}
