import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { pt } from './pt.ts';
import type { Texts } from './table.ts';
import { zh } from './zh.ts';

/** All of our texts. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en, zh, es, fr, de, pt, it, ja, ko, ar };

/** A text with its braces filled in. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w{1,20})\}/g, (braces, name: string) => values[name] ?? braces);
}

/** The languages of our own texts, by their BCP 47 tags. */
export const LANGUAGES = ['en', 'zh', 'es', 'fr', 'de', 'pt', 'it', 'ja', 'ko', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Longer headers and parameters are not read. */
const MAX_LENGTH = 500;
const RANGE = /^([a-z]{1,8})(?:[-_][a-z0-9_-]{1,30})?$/i;

/**
 * The language for an answer: that of the `lang` parameter, otherwise the one that `Accept-Language` prefers most (RFC
 * 9110, section 12.5.4). Regions count as their language: `pt-BR` is `pt`.
 * @param languages those to choose from: by default all of ours.
 * @returns null if neither names one of them; `*` names none.
 */
export function negotiateLanguage<L extends Language = Language>(
  lang: string | undefined,
  acceptLanguage: string | undefined,
  languages: readonly L[] = LANGUAGES as readonly Language[] as readonly L[],
): L | null {
  return ownLanguage(lang ?? '', languages) ?? preferred(acceptLanguage ?? '', languages);
}

/** The language of a tag such as `de`, `de-AT` or `zh_Hant_TW`; null if it is none of these. */
function ownLanguage<L extends Language>(tag: string, languages: readonly L[]): L | null {
  const primary = RANGE.exec(tag.trim())?.[1]?.toLowerCase();
  return languages.find((language) => language === primary) ?? null;
}

function preferred<L extends Language>(header: string, languages: readonly L[]): L | null {
  if (header.length > MAX_LENGTH) return null;
  let best: { language: L; quality: number } | null = null;
  for (const range of header.split(',')) {
    const [tag = '', ...parameters] = range.split(';');
    const language = ownLanguage(tag, languages);
    const quality = qualityIn(parameters);
    if (language !== null && quality > (best?.quality ?? 0)) best = { language, quality };
  }
  return best?.language ?? null;
}

/** 1 without a `q`, and 0 for one that is malformed. */
function qualityIn(parameters: readonly string[]): number {
  const given = parameters.map((text) => text.trim().toLowerCase()).find((text) => text.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}

/** Whether a language is written from right to left. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/**
 * The facts that are known about the writer of a text: the language that the provider answers in, and the carrier's
 * country (ISO 3166-1).
 */
export type Writer = { language?: string | undefined; country?: string | undefined };

/**
 * The language of a carrier's text as a BCP 47 tag: that of its script, or for Latin letters the one that its provider
 * answers in.
 * @returns null if it is not known.
 */
export function languageOfText(text: string, { language, country }: Writer): string | null {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'ja';
  if (/\p{Script=Hangul}/u.test(text)) return 'ko';
  if (/\p{Script=Han}/u.test(text)) return country === 'JP' ? 'ja' : 'zh';
  if (/\p{Script=Arabic}/u.test(text)) return language === undefined || language === 'ar' ? 'ar' : null;
  const isLatin = /\p{Script=Latin}/u.test(text) && !/[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Thai}]/u.test(text);
  return isLatin && language !== undefined && !NOT_LATIN.includes(language) ? language : null;
}

const NOT_LATIN: readonly string[] = ['zh', 'ja', 'ko', 'ar'];
