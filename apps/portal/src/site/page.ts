import { posix } from 'node:path';

/** A page of the portal, in Markdown. */
export type Page = {
  /** Below /docs: `quickstart`, `reference/createTracking`. The start page has none. */
  path: string;
  title: Localized;
  /** Text that the navigation shows in front of the title: `POST`, or the number of an error. */
  label?: string;
  /** Markdown. */
  text: Localized;
  /** The files that the texts come from, relative to the repository; their links are relative to them. */
  source?: Localized;
  /** Without a source, the files that decide when the page was last changed. */
  madeOf?: Localized;
  /** HTML of a form in the column beside the text, between the request and its response. */
  form?(language: Language): string;
};

/** Pages that the navigation shows together. */
export type Section = {
  title: Localized;
  /** Whether the navigation shows its pages only while one of them is open. */
  folded?: true;
  pages: readonly Page[];
};

/** Where the portal is, below the root of the service. */
export const ROOT = '/docs';

/** The address of a page, by its path in the portal; the start page has none. */
export function addressOf(path: string, language: Language): string {
  return [ROOT, ...(language === 'en' ? [] : [language]), ...(path === '' ? [] : [path])].join('/');
}

/** A link from one address to another that also works where a proxy has put a prefix in front of both. */
export function linkBetween(from: string, to: string): string {
  return posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to));
}

/** The languages of the portal: English at /docs, Chinese at /docs/zh. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in every language. */
export type Localized = Readonly<Record<Language, string>>;

/** The texts of a table in a language. */
export function textsIn<K extends string>(table: Readonly<Record<K, Localized>>, language: Language) {
  const texts = Object.entries<Localized>(table).map(([name, text]) => [name, text[language]]);
  return Object.fromEntries(texts) as Record<K, string>;
}

/** How HTML names the languages. */
export const LANGUAGE_TAGS: Localized = { en: 'en', zh: 'zh-CN' };

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as HTML, also within the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
