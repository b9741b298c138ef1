import { createStore, useStore } from '../session/store.ts';
import { en, type Text } from './en.ts';
import { translator } from './phrases.ts';
import type { SaidWords } from './said-words.ts';

export const LANGUAGES = { en: 'English', zh: '简体中文' } as const;
export type Language = keyof typeof LANGUAGES;

/** The names of the languages for `lang` and `Intl`. */
const TAGS: Readonly<Record<Language, string>> = { en: 'en', zh: 'zh-CN' };

/**
 * `tag` is how numbers and times are written: English is written in several ways. `said` has words for what the service
 * says in English to those who call its API, by its kind; without any, its own will do. `translate` knows its
 * sentences; null: not this one.
 */
type Spoken = {
  language: Language;
  tag: string;
  text: Text;
  said: Partial<SaidWords>;
  translate(english: string): string | null;
};

/** Where the service names a request, the console has a button. */
const SAID_EN: Partial<SaidWords> = {
  choices: { detection: 'It was detected from the number. If it is wrong, choose another one with “Edit”.' },
  watches: {
    invalid_number:
      'It is no longer checked: the carrier rejects this number as invalid. If the carrier is wrong, choose another one with “Edit”.',
    no_provider:
      'It is no longer checked: the source of this carrier is no longer configured. Choose the carrier again with “Edit”.',
  },
  holds: { no_provider: 'Its source is no longer configured. Choose the carrier again with “Edit”.' },
  imports: {
    unknown_courier: 'is not a known carrier: use a code or name from the list of carriers, or leave it empty',
  },
};

const ENGLISH = { text: en, said: SAID_EN, translate: () => null };

export const spoken = createStore<Spoken>({ language: 'en', tag: TAGS.en, ...ENGLISH });

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
  const texts = language === 'zh' ? await loadChinese() : ENGLISH;
  document.documentElement.lang = TAGS[language];
  spoken.set({ language, tag: tagOf(language, navigator.languages), ...texts });
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

async function loadChinese() {
  const [{ zh }, { saidZh }, { PHRASES_ZH }] = await Promise.all([
    import('./zh.ts'),
    import('./said-zh.ts'),
    import('./phrases-zh.ts'),
  ]);
  return { text: zh, said: saidZh, translate: translator(PHRASES_ZH) };
}
