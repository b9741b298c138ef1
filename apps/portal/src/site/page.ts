import type { Language, Localized } from './language.ts';

/** A page of the portal, in Markdown. */
export type Page = {
  /** Below /docs: `quickstart`, `reference/createTracking`. The start page has none. */
  path: string;
  title: Localized;
  /** What the navigation shows in front of the title: `POST`, or the number of an error. */
  label?: string;
  /** Markdown. */
  text: Localized;
  /** The files that the texts come from, relative to the repository; their links are relative to them. */
  source?: Localized;
  /** Without a source, the files that decide when the page was last changed. */
  madeOf?: Localized;
  /** HTML that follows the text. */
  after?(language: Language): string;
};

/** Pages that the navigation shows together. */
export type Section = {
  title: Localized;
  /** Whether the navigation shows its pages only while one of them is open. */
  folded?: true;
  pages: readonly Page[];
};
