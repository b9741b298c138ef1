import MiniSearch from 'minisearch';
import { VERSION } from '../reference/document.ts';
import { type Entry, SEARCH_OPTIONS } from '../search/options.ts';
import { outsideBlocks } from '../text/blocks.ts';
import { withoutMarks } from '../text/english.ts';
import { type Rendered, render } from '../text/render.ts';
import { addressOf, ROOT } from './address.ts';
import { LANGUAGES, type Language } from './language.ts';
import { type Assets, layout } from './layout.ts';
import { createDirectory, linksOf } from './links.ts';
import { llmsText } from './llms.ts';
import { MISSING_PAGE } from './missing-page.ts';
import type { Page } from './page.ts';
import { type Read, readSections } from './sections.ts';

export type SiteFile = { path: string; text: string };

export type SiteOptions = {
  read: Read;
  /** The day on which a file was last changed; null if that is not known. */
  changedOn(file: string): string | null;
  /** The names of the assets; that of the search index is made from its content. */
  assets: Omit<Assets, 'search'>;
  nameFor(index: string): string;
};

/** Every file of the portal except its scripts and styles, by its path below /: `docs/quickstart.html`. */
export function makeSite({ read, changedOn, assets, nameFor }: SiteOptions): SiteFile[] {
  const sections = readSections(read);
  const pages = sections.flatMap((section) => section.pages);
  const directory = createDirectory(pages);
  const rendered = LANGUAGES.flatMap((language) =>
    [...pages, MISSING_PAGE].map((page) => ({
      page,
      language,
      content: render(page.text[language], linksOf(page, language, directory)),
    })),
  );
  const index = searchIndex(rendered.filter(({ page }) => page !== MISSING_PAGE));
  const search = nameFor(index);
  const frame = { sections, assets: { ...assets, search }, version: VERSION, changedOn };
  return [
    { path: `${ROOT}/assets/${search}`, text: index },
    ...rendered.flatMap(({ page, language, content }) => {
      const address = addressOf(page.path, language);
      const { follow } = linksOf(page, language, directory, '.md');
      return [
        { path: `${address}.html`, text: layout(page, language, content, frame) },
        { path: `${address}.md`, text: withLinks(withoutMarks(page.text[language]), follow) },
      ];
    }),
    { path: '/llms.txt', text: llmsText(sections) },
  ].map(({ path, text }) => ({ path: path.slice(1), text }));
}

/** The Markdown of a page, with links that lead on from its address. */
function withLinks(text: string, follow: (href: string) => string | null): string {
  return outsideBlocks(text, (prose) =>
    prose.replace(/\[([^[\]\n]{0,200})\]\(([^()\s]{1,200})\)/g, (_all, name: string, href: string) => {
      const address = follow(href);
      return address === null ? name : `[${name}](${address})`;
    }),
  );
}

/** One index for both languages; of the reference, Chinese only names. */
function searchIndex(rendered: readonly { page: Page; language: Language; content: Rendered }[]): string {
  const entries = rendered.flatMap(({ page, language, content }) => {
    const isTranslated = language === 'en' || !page.path.startsWith('reference/');
    return (isTranslated ? content.parts : content.parts.slice(0, 1)).map(({ level, anchor, text, body }) => ({
      address: addressOf(page.path, language) + (level === 1 ? '' : `#${encodeURIComponent(anchor)}`),
      language,
      title: page.title[language],
      heading: level === 1 ? '' : text,
      body: isTranslated ? body : '',
    }));
  });
  const search = new MiniSearch<Entry>(SEARCH_OPTIONS);
  search.addAll(entries.map((entry, id) => ({ id, ...entry })));
  return JSON.stringify(search);
}
