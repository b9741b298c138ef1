import { CHINESE, meaningOfChinese } from './chinese.ts';
import { ENGLISH, meaningOfEnglish } from './english.ts';
import { factsOf, isJapanese } from './facts.ts';
import { LANGUAGES, languagesOf, type TextLanguage } from './languages.ts';
import { type Entry, entryOf, type Meaning, meaningOfEntry } from './meaning.ts';
import { returnIn } from './returns.ts';

const HAN = /\p{Script=Han}/u;
const HANGUL = /[\uac00-\ud7a3]/;
const CYRILLIC = /[\u0400-\u04ff]/;
const BEYOND_ASCII = /[^\x20-\x7e]/;
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ß: 'ss', ı: 'i', ø: 'o', '’': "'" };

/** Conditions and advice in languages whose texts `factsOf` leaves as they are: they have not happened. */
const ADVICE =
  /\b(?:si no|en caso|caso (?:nao|o|a|voce)|se (?:non|nao|voce)|in caso|nel caso|als (?:u|je|de|het)|indien|jesli|jezeli|w przypadku|w razie|en cas d|si vous)\b[^.;!]{0,300}/g;

/**
 * The meaning of a scan's text for its parcel, in any of fourteen languages; undefined if it says no more than that
 * the parcel moves. It reads what has happened: what is denied, planned or advised is no delivery.
 */
export function meaningOfText(text: string): Meaning | undefined {
  if (isJapanese(text)) return meaningIn('ja', text);
  if (HAN.test(text)) return meaningOfChinese(text);
  if (HANGUL.test(text)) return meaningIn('ko', text);
  const plain = plainLetters(text);
  if (CYRILLIC.test(text)) return meaningIn('ru', text);
  for (const language of languagesOf(plain)) {
    const meaning = language === 'en' ? meaningOfEnglish(text) : meaningIn(language, text);
    if (meaning !== undefined) return meaning;
  }
  return undefined;
}

/**
 * The meaning of a scan whose code may be coarse. A code that says no more than that the parcel moves, or is in trouble
 * of another kind, is refined by the text; without a code, the text decides alone.
 */
export function refined(known: Meaning | undefined, isCoarse: boolean, text: string): Meaning | 'silent' {
  if (known !== undefined && !isCoarse) return known;
  return meaningOfText(text) ?? known ?? 'silent';
}

/** The meaning of a German text; undefined if it only says that its parcel moves. */
export function meaningOfGerman(text: string): Meaning | undefined {
  return meaningIn('de', text);
}

function meaningIn(language: TextLanguage, text: string): Meaning | undefined {
  return returnIn(text) ?? meaningOfEntry(entryFor(language, text));
}

/** The entry of a language's table by which a text is read. */
export function entryFor(language: TextLanguage | 'en' | 'zh', text: string): Entry | undefined {
  const facts = factsOf(text);
  if (language === 'en') return entryOf(facts, ENGLISH);
  if (language === 'zh') return entryOf(facts, CHINESE);
  // The letters of Japanese and Korean come apart without their marks.
  const plain = language === 'ja' || language === 'ko' ? facts.toLowerCase() : plainLetters(facts).replace(ADVICE, '');
  return entryOf(plain, LANGUAGES[language]);
}

/** A text in small letters without accents. */
export function plainLetters(text: string): string {
  const small = text.toLowerCase();
  if (!BEYOND_ASCII.test(small)) return small;
  return small
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[łßıø’]/g, (letter) => LETTERS[letter] ?? letter);
}
