import { createHash } from 'node:crypto';
import { type Html, html } from '@pts/core/html';
import { directionOf, LANGUAGES, type Language, TEXTS } from '@pts/core/languages/texts';
import { onDark } from '@pts/core/page-brand';
import { SCRIPT, STYLE } from './style.ts';

/** A document, and what may run and load in it. */
export type Document = { body: string; csp: string };

/** The brand of the shop, as far as a page shows it. */
export type Brand = {
  name: string | null;
  url: string | null;
  color: string | null;
  /** The address of the logo and its size, relative to the page. */
  logo: { url: string; width: number; height: number } | null;
};

export const NO_BRAND: Brand = { name: null, url: null, color: null, logo: null };

export type Framing = {
  /** Whether the page is shown in a frame: without header, its links open outside. */
  isEmbedded: boolean;
  /** The origins that may show it in a frame. */
  frameAncestors: readonly string[];
};

export const UNFRAMED: Framing = { isEmbedded: false, frameAncestors: [] };

type Layout = Framing & {
  language: Language;
  title: string;
  brand: Brand;
  main: Html;
};

/** A document around its content. It loads nothing but the logo of the shop, from us. */
export function layout({ language, title, brand, isEmbedded, frameAncestors, main }: Layout): Document {
  const accent = accentOf(brand.color);
  const styles = [STYLE, ...(accent === null ? [] : [accent])];
  const raw = (markup: string): Html => ({ markup });
  const { markup } = html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<title>${brand.name === null ? title : `${title} · ${brand.name}`}</title>
<link rel="icon" href="data:,">
${isEmbedded && html`<base target="_blank">`}
${styles.map((style) => html`<style>${raw(style)}</style>`)}
</head>
<body${isEmbedded && html` class="bare"`}>
${!isEmbedded && header(language, brand)}
${main}
<script>${raw(SCRIPT)}</script>
</body>
</html>
`;
  return { body: markup, csp: policy(styles, frameAncestors) };
}

/** Own content only; styles and the script by their hashes. */
function policy(styles: readonly string[], frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src ${styles.map(hashSource).join(' ')}`,
    `script-src ${hashSource(SCRIPT)}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ');
}

function hashSource(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

/** The colour of the shop in place of ours. Stored colours are `#rrggbb`. */
function accentOf(color: string | null): string | null {
  if (color === null) return null;
  return `:root{--accent:${color}}@media (prefers-color-scheme:dark){:root{--accent:${onDark(color)}}}`;
}

/** The name of a site as people know it. */
export function siteOf(url: string): string {
  return new URL(url).hostname.replace(/^www\./, '');
}

function header(language: Language, { name, url, logo }: Brand): Html {
  const called = name ?? (url === null ? '' : siteOf(url));
  const shown =
    logo === null
      ? html`${called}`
      : html`<img class="sheet" src="${logo.url}" width="${logo.width}" height="${logo.height}" alt="${called}">`;
  const rel = 'noopener noreferrer';
  const links = LANGUAGES.map(
    (each) =>
      html`<li><a href="?lang=${each}" lang="${each}" hreflang="${each}" dir="${directionOf(each)}"${each === language && html` aria-current="true"`}>${TEXTS[each].name}</a></li>`,
  );
  return html`<header>
${url === null ? html`<span class="shop">${shown}</span>` : html`<a class="shop" href="${url}" rel="${rel}">${shown}</a>`}
<details class="langs"><summary><span class="hidden">${TEXTS[language].page.language}: </span>${TEXTS[language].name}</summary>
<ul>${links}</ul></details>
</header>`;
}
