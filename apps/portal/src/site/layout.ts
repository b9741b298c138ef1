import type { Heading, Rendered } from '../text/render.ts';
import {
  addressOf,
  escapeHtml,
  LANGUAGE_TAGS,
  type Language,
  linkBetween,
  type Page,
  ROOT,
  type Section,
} from './page.ts';

/** The files that every page loads, by their names below /docs/assets. */
export type Assets = { script: string; theme: string; style: string; search: string };

type Frame = {
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
<a class="brand" href="${to(addressOf('', language))}"><img src="${asset('icon.svg')}" width="24" height="24" alt=""> ${texts.name}</a>
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

/** The navigation of a page. Sections of the reference are folded, unless the page is in them. */
function navigation(sections: readonly Section[], current: Page, language: Language): string {
  const item = (page: Page) => {
    const href = linkBetween(addressOf(current.path, language), addressOf(page.path, language));
    const here = page === current ? ' aria-current="page"' : '';
    const label = page.label ? `<span class="label" data-label="${page.label}">${page.label}</span> ` : '';
    return `<li><a href="${href}"${here}>${label}${escapeHtml(page.title[language])}</a></li>`;
  };
  const { pages: all, close, reference } = TEXTS[language];
  const parts = sections.map(({ title, folded, pages }, index) => {
    const list = `<ul>${pages.map(item).join('')}</ul>`;
    const name = escapeHtml(title[language]);
    if (!folded) return `<p class="group">${name}</p>${list}`;
    const isFirst = !sections[index - 1]?.folded;
    const head = isFirst ? `<p class="group">${reference}</p>` : '';
    return `${head}<details${pages.includes(current) ? ' open' : ''}><summary>${name}</summary>${list}</details>`;
  });
  return `<nav class="menu" id="menu" aria-label="${all}"><a class="close" href="#text">${close}</a>${parts.join('\n')}</nav>`;
}

/** The pages before and after one. */
function neighbours(sections: readonly Section[], current: Page, language: Language): string {
  const pages = sections.flatMap((section) => section.pages);
  const index = pages.indexOf(current);
  const { previous, next } = TEXTS[language];
  const link = (page: Page | undefined, rel: 'prev' | 'next', text: string) => {
    if (!page) return '<span></span>';
    const href = linkBetween(addressOf(current.path, language), addressOf(page.path, language));
    return `<a rel="${rel}" href="${href}"><span>${text}</span> ${escapeHtml(page.title[language])}</a>`;
  };
  return `<nav class="neighbours" aria-label="${previous} / ${next}">${link(pages[index - 1], 'prev', previous)}${link(pages[index + 1], 'next', next)}</nav>`;
}

const en = {
  name: 'Parcel Tracking Service',
  portal: 'Developer portal',
  menu: 'Menu',
  close: 'Close the menu',
  skip: 'Skip to the text',
  pages: 'Pages',
  reference: 'Reference',
  contents: 'On this page',
  search: 'Search',
  searchHint: 'Search guides and reference',
  noResults: 'Nothing was found.',
  searchFailed: 'The search could not be loaded. Type on to try again.',
  theme: 'Light or dark',
  otherLanguage: '中文',
  console: 'Console',
  previous: 'Previous',
  next: 'Next',
  changed: 'Last changed',
  version: 'Version',
  asMarkdown: 'This page as Markdown',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'Not copied: select it and copy it yourself',
};

const zh: typeof en = {
  name: '包裹跟踪服务',
  portal: '开发者门户',
  menu: '目录',
  close: '关闭目录',
  skip: '跳到正文',
  pages: '页面',
  reference: '接口文档',
  contents: '本页内容',
  search: '搜索',
  searchHint: '搜索指南和接口',
  noResults: '没有找到。',
  searchFailed: '搜索未能加载。继续输入即可重试。',
  theme: '浅色或深色',
  otherLanguage: 'English',
  console: '控制台',
  previous: '上一页',
  next: '下一页',
  changed: '最近更新',
  version: '版本',
  asMarkdown: '本页 Markdown',
  copy: '复制',
  copied: '已复制',
  notCopied: '未能复制：请手动选择并复制',
};

/** The portal's texts around its pages. */
export const TEXTS: Readonly<Record<Language, typeof en>> = { en, zh };
type Texts = typeof en;
