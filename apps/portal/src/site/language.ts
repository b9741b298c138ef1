/** The languages of the portal: English at /docs, Chinese at /docs/zh. */
export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A text in every language. */
export type Localized = Readonly<Record<Language, string>>;

/** How HTML names the languages. */
export const LANGUAGE_TAGS: Localized = { en: 'en', zh: 'zh-CN' };
