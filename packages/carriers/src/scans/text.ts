import { meaningOfChinese } from './chinese.ts';
import { meaningOfEnglish } from './english.ts';
import type { Meaning } from './meaning.ts';

/** What a text without a code says, in Chinese or English; in transit if it says nothing about the status. */
export function meaningOfText(text: string): Meaning {
  if (/\p{Script=Han}/u.test(text)) return meaningOfChinese(text);
  return meaningOfEnglish(text) ?? { status: 'in_transit' };
}
