import { meaningOfChinese } from './chinese-signatures.ts';
import { meaningOfEnglish } from './english.ts';
import type { Meaning } from './meaning.ts';

/** What a text without a code says, in Chinese or English; undefined if it says nothing about the status. */
export function meaningOfText(text: string): Meaning | undefined {
  if (/\p{Script=Han}/u.test(text)) return meaningOfChinese(text);
  return meaningOfEnglish(text);
}
