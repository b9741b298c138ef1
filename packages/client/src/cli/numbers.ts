import { usageProblem } from './parse.ts';

/** @throws Problem unless the text is a whole number of this range */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
  throw usageProblem(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}
