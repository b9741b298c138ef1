import { addressOf, linkBetween } from './address.ts';
import { escapeHtml } from './html.ts';
import type { Language } from './language.ts';
import type { Page, Section } from './page.ts';
import { TEXTS } from './texts.ts';

/** The navigation of a page. Sections of the reference are folded, unless the page is in them. */
export function navigation(sections: readonly Section[], current: Page, language: Language): string {
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
export function neighbours(sections: readonly Section[], current: Page, language: Language): string {
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
