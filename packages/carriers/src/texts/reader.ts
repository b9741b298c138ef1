import { CHINESE, meaningOfChinese } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { factsOf, isJapanese } from './facts.ts';
import { BEYOND_ASCII, LANGUAGES, languagesOf, type TextLanguage } from './languages.ts';
import { type Entry, entryOf, type Meaning, meaningOfEntry } from './meaning.ts';
import { returnIn } from './returns.ts';

const HAN = /\p{Script=Han}/u;
const HANGUL = /[\uac00-\ud7a3]/;
const CYRILLIC = /[\u0400-\u04ff]/;
const LETTERS: Readonly<Record<string, string>> = { ł: 'l', ß: 'ss', ı: 'i', ø: 'o', '’': "'" };

/** Conditions, times that have not come and advice in languages whose texts `factsOf` leaves as they are. */
const ADVICE =
  /(?:\b(?:si (?:no|el|la|los|usted|nadie|hay|esta|vous|le|votre|personne)|en caso|em caso|caso (?:nao|o|a|voce)|se (?:non|nao|voce|il destinatario|o destinatario|nessuno|ninguem)|in caso|nel caso|als (?:u|je|de|het)|indien|mocht|jesli|jezeli|gdyby|w przypadku|w razie|en cas d|una vez|cuando|quando (?:for|sera|sara|estiver)|assim que|une fois|des que|lorsqu|zodra|una volta)|(?<![а-я])(?:если|в случае|после того))(?![a-zа-я])[^.;!]{0,300}/g;

/**
 * The meaning of a scan's text for its parcel, in any of thirteen languages; undefined if it says no more than that
 * the parcel moves. It reads what has happened: what is denied, planned or advised is no delivery.
 */
export function meaningOfText(text: string): Meaning | undefined {
  const isJapaneseText = isJapanese(text);
  if (!isJapaneseText && HAN.test(text)) return meaningOfChinese(text);
  const back = returnIn(text);
  if (back !== undefined) return back;
  for (const language of languagesIn(text, isJapaneseText)) {
    const entry = entryFor(language, text);
    if (entry !== undefined) return meaningOfEntry(entry);
  }
  return undefined;
}

/** The languages that a text may be in, the likeliest first. */
function languagesIn(text: string, isJapaneseText: boolean): readonly (TextLanguage | 'en')[] {
  if (isJapaneseText) return ['ja'];
  if (HANGUL.test(text)) return ['ko'];
  return CYRILLIC.test(text) ? ['ru'] : languagesOf(plainFacts(text), text);
}

/**
 * The meaning of a scan whose code may be coarse. A code that says no more than that the parcel moves, or is in trouble
 * of another kind, is refined by the text; without a code, the text decides alone.
 */
export function refined(known: Meaning | undefined, isCoarse: boolean, text: string): Meaning | 'silent' {
  if (known !== undefined && !isCoarse) return known;
  return meaningOfText(text) ?? known ?? 'silent';
}

/** Like `refined`, for a code by which the carrier awaits the parcel. */
export function refinedPending(text: string): Meaning | 'pending' {
  return meaningOfText(text) ?? 'pending';
}

/** The entry of a language's table by which a text is read. */
export function entryFor(language: TextLanguage | 'en' | 'zh', text: string): Entry | undefined {
  const facts = factsOf(text);
  if (language === 'en') return entryOf(facts, ENGLISH);
  if (language === 'zh') return entryOf(facts, CHINESE);
  // The letters of Japanese and Korean come apart without their marks.
  const isWhole = language === 'ja' || language === 'ko';
  return entryOf(isWhole ? facts.toLowerCase() : plainFacts(text), LANGUAGES[language]);
}

/** The text that was read last, because one text may go through the tables of several languages. */
let last = { text: '', plain: '' };

/** The part of a text that says what has happened, in small letters without accents. */
function plainFacts(text: string): string {
  if (text !== last.text) last = { text, plain: plainLetters(factsOf(text)).replace(ADVICE, '') };
  return last.plain;
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
