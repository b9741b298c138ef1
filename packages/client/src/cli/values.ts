import { INSTANT_FORM, parseInstant } from '@pts/core/time';
import { usageProblem } from './parse.ts';

/** @throws Problem unless the text is a whole number of this range */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw usageProblem(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

/** @throws Problem unless the text is a time as the service reads it */
export function instant(name: string, text: string): string {
  if (parseInstant(text) !== null) return text;
  throw usageProblem(`${name} ${INSTANT_FORM}, not "${text}".`);
}
