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
  textsIn,
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
export function layout(page: Page, language: Language, content: Rendered, frame: Frame): string {
  const texts = textsIn(TEXTS, language);
  const column = samples(page, language, content);
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
<a class="brand" href="${to(addressOf('', language))}"><img src="${asset('icon.svg')}" width="24" height="24" alt=""><span>${texts.name}</span></a>
<button type="button" class="search-button" data-open-search hidden>${texts.search} <kbd>/</kbd></button>
<a class="console" href="${to('/console')}">${texts.console}</a>
<a hreflang="${LANGUAGE_TAGS[other]}" lang="${LANGUAGE_TAGS[other]}" href="${to(addressOf(page.path, other))}">${texts.otherLanguage}</a>
<button type="button" data-theme-button aria-label="${texts.theme}" hidden>◐</button>
</header>
<div class="frame${column && ' split'}">
${navigation(frame.sections, page, language)}
<main id="text" tabindex="-1">
<article data-copy="${texts.copy}" data-copied="${texts.copied}" data-not-copied="${texts.notCopied}">
<div class="intro">
${content.intro}</div>
${column}<div>
${content.html}</div>
</article>
${footer(page, language, frame)}
</main>
${column ? '' : contents(content.parts, texts.contents)}
</div>
<dialog class="search" aria-label="${texts.searchHint}">
<input type="search" aria-label="${texts.searchHint}" placeholder="${texts.searchHint}" autocomplete="off" spellcheck="false">
<ol data-results data-none="${texts.noResults}" data-failed="${texts.searchFailed}" aria-live="polite"></ol>
</dialog>
</body>
</html>
`;
}

/** The column beside the text; empty for a page without samples. */
function samples(page: Page, language: Language, { request, response }: Rendered): string {
  const { samples: label, request: asked, response: answered } = textsIn(TEXTS, language);
  if (request + response === '') return '';
  const sample = (title: string, html: string) => html && `<p class="head">${title}</p>\n${html}`;
  return `<aside aria-label="${label}">
${sample(asked, request)}${page.form?.(language) ?? ''}${sample(answered, response)}</aside>
`;
}

function footer(page: Page, language: Language, { sections, version, changedOn }: Frame): string {
  const texts = textsIn(TEXTS, language);
  const here = addressOf(page.path, language);
  const file = page.madeOf?.[language] ?? page.source?.[language];
  const day = file === undefined ? null : changedOn(file);
  const changed = day === null ? '' : `${texts.changed}: <time datetime="${day}">${day}</time> · `;
  return `<footer>${neighbours(sections, page, language)}
<p class="facts">${changed}${texts.version} ${escapeHtml(version)} · <a href="${linkBetween(here, `${here}.md`)}">${texts.asMarkdown}</a></p></footer>`;
}

function contents(parts: readonly Heading[], title: string): string {
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
  const { pages: all, close, reference } = textsIn(TEXTS, language);
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
  const { previous, next } = textsIn(TEXTS, language);
  const link = (page: Page | undefined, rel: 'prev' | 'next', text: string) => {
    if (!page) return '<span></span>';
    const href = linkBetween(addressOf(current.path, language), addressOf(page.path, language));
    return `<a rel="${rel}" href="${href}"><span>${text}</span> ${escapeHtml(page.title[language])}</a>`;
  };
  return `<nav class="neighbours" aria-label="${previous} / ${next}">${link(pages[index - 1], 'prev', previous)}${link(pages[index + 1], 'next', next)}</nav>`;
}

/** The portal's texts around its pages. */
export const TEXTS = {
  name: { en: 'Parcel Tracking Service', zh: '包裹跟踪服务' },
  portal: { en: 'Developer portal', zh: '开发者门户' },
  menu: { en: 'Menu', zh: '目录' },
  close: { en: 'Close the menu', zh: '关闭目录' },
  skip: { en: 'Skip to the text', zh: '跳到正文' },
  pages: { en: 'Pages', zh: '页面' },
  reference: { en: 'Reference', zh: '接口文档' },
  contents: { en: 'On this page', zh: '本页内容' },
  samples: { en: 'Samples', zh: '示例' },
  request: { en: 'Request', zh: '请求' },
  response: { en: 'Response', zh: '响应' },
  search: { en: 'Search', zh: '搜索' },
  searchHint: { en: 'Search guides and reference', zh: '搜索指南和接口' },
  noResults: { en: 'Nothing was found.', zh: '没有找到。' },
  searchFailed: { en: 'The search could not be loaded. Type on to try again.', zh: '搜索未能加载。继续输入即可重试。' },
  theme: { en: 'Light or dark', zh: '浅色或深色' },
  otherLanguage: { en: '中文', zh: 'English' },
  console: { en: 'Console', zh: '控制台' },
  previous: { en: 'Previous', zh: '上一页' },
  next: { en: 'Next', zh: '下一页' },
  changed: { en: 'Last changed', zh: '最近更新' },
  version: { en: 'Version', zh: '版本' },
  asMarkdown: { en: 'This page as Markdown', zh: '本页 Markdown' },
  copy: { en: 'Copy', zh: '复制' },
  copied: { en: 'Copied', zh: '已复制' },
  notCopied: { en: 'Not copied: select it and copy it yourself', zh: '未能复制：请手动选择并复制' },
} as const;
