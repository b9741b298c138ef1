import { createStore, useStore } from '../session/store.ts';
import { en, type Text } from './en.ts';

export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

/** The names of the languages for `lang` and `Intl`. */
const TAGS: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };

/** `tag` is how numbers and times are written: English is written in several ways. */
type Spoken = { language: Language; tag: string; text: Text };

export const spoken = createStore<Spoken>({ language: 'en', tag: TAGS.en, text: en });

/** The texts of the chosen language. */
export function useText(): Text {
  return useStore(spoken).text;
}

/** The first language that the console speaks. */
export function languageOf(wanted: readonly string[]): Language {
  const known = wanted.map((tag) => tag.toLowerCase().split('-')[0]).find((tag) => tag === 'en' || tag === 'zh');
  return known === 'zh' ? 'zh' : 'en';
}

/** English is always there; the other catalogue is loaded when it is chosen. */
export async function setLanguage(language: Language): Promise<void> {
  const text = language === 'zh' ? (await import('./zh.ts')).zh : en;
  document.documentElement.lang = TAGS[language];
  spoken.set({ language, tag: tagOf(language, navigator.languages), text });
}

/**
 * How a language is written here: as the browser wants it, if `Intl` knows that. On some machines it is `en-US@posix`.
 */
export function tagOf(language: Language, wanted: readonly string[]): string {
  return wanted.find((tag) => tag.startsWith(language) && isKnown(tag)) ?? TAGS[language];
}

function isKnown(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}
