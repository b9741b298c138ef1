import type { Heading, Rendered } from '../text/render.ts';
import { addressOf, linkBetween, ROOT } from './address.ts';
import { escapeHtml } from './html.ts';
import { LANGUAGE_TAGS, type Language } from './language.ts';
import { navigation, neighbours } from './navigation.ts';
import type { Page, Section } from './page.ts';
import { TEXTS, type Texts } from './texts.ts';

/** The files that every page loads, by their names below /docs/assets. */
export type Assets = { script: string; theme: string; style: string; search: string };

export type Frame = {
  sections: readonly Section[];
  assets: Assets;
  version: string;
  /** The day on which a file was last changed; null if that is not known. */
  changedOn(file: string): string | null;
};

/** A page as HTML. */
export function layout(page: Page, language: Language, { html, parts }: Rendered, frame: Frame): string {
  const texts = TEXTS[language];
  const here = addressOf(page.path, language);
  const to = (address: string) => linkBetween(here, address);
  const asset = (name: string) => to(`${ROOT}/assets/${name}`);
  const other = language === 'en' ? 'zh' : 'en';
  const { assets } = frame;
  return `<!doctype html>
<html lang="${LANGUAGE_TAGS[language]}" data-root="${to(ROOT)}" data-search="${asset(assets.search)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.path === '' ? `${texts.name}: ${texts.portal}` : `${page.title[language]} · ${texts.name}`)}</title>
<script src="${asset(assets.theme)}"></script>
<link rel="stylesheet" href="${asset(assets.style)}">
<link rel="icon" href="${asset('icon.svg')}" type="image/svg+xml">
<link rel="alternate" hreflang="${LANGUAGE_TAGS[other]}" href="${to(addressOf(page.path, other))}">
<link rel="alternate" type="text/markdown" href="${to(`${here}.md`)}">
<script type="module" src="${asset(assets.script)}"></script>
</head>
<body>
<a class="skip" href="#text">${texts.skip}</a>
<header class="bar">
<a class="menu-link" href="#menu">${texts.menu}</a>
<a class="brand" href="${to(addressOf('', language))}">${texts.name}</a>
<button type="button" class="search-button" data-open-search hidden>${texts.search} <kbd>/</kbd></button>
<a class="console" href="${to('/console')}">${texts.console}</a>
<a hreflang="${LANGUAGE_TAGS[other]}" lang="${LANGUAGE_TAGS[other]}" href="${to(addressOf(page.path, other))}">${texts.otherLanguage}</a>
<button type="button" data-theme-button aria-label="${texts.theme}" hidden>◐</button>
</header>
<div class="frame">
${navigation(frame.sections, page, language)}
<main id="text" tabindex="-1">
<article data-copy="${texts.copy}" data-copied="${texts.copied}" data-not-copied="${texts.notCopied}">
${html}</article>
${page.after?.(language) ?? ''}
${footer(page, language, frame)}
</main>
${contents(parts, texts)}
</div>
<dialog class="search" aria-label="${texts.searchHint}">
<input type="search" aria-label="${texts.searchHint}" placeholder="${texts.searchHint}" autocomplete="off" spellcheck="false">
<ol data-results data-none="${texts.noResults}" data-failed="${texts.searchFailed}" aria-live="polite"></ol>
</dialog>
</body>
</html>
`;
}

function footer(page: Page, language: Language, { sections, version, changedOn }: Frame): string {
  const texts = TEXTS[language];
  const here = addressOf(page.path, language);
  const file = page.madeOf?.[language] ?? page.source?.[language];
  const day = file === undefined ? null : changedOn(file);
  const changed = day === null ? '' : `${texts.changed}: <time datetime="${day}">${day}</time> · `;
  return `<footer>${neighbours(sections, page, language)}
<p class="facts">${changed}${texts.version} ${escapeHtml(version)} · <a href="${linkBetween(here, `${here}.md`)}">${texts.asMarkdown}</a></p></footer>`;
}

function contents(parts: readonly Heading[], { contents: title }: Texts): string {
  const shown = parts.filter(({ level }) => level === 2);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ anchor, text }) => `<li><a href="#${encodeURIComponent(anchor)}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="${title}"><p>${title}</p><ul>${items.join('')}</ul></nav>`;
}
