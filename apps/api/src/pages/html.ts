import { createHash } from 'node:crypto';
import { type Html, html } from '@pts/core/html';
import type { Texts } from '@pts/core/languages/table';
import { directionOf, fill, LANGUAGES, type Language, TEXTS } from '@pts/core/languages/texts';
import { dayIn } from '@pts/core/page';
import { onDark } from '@pts/core/page-brand';
import type { OrderView, PageView, ShownCarrier, ShownEvent } from './view.ts';

/** The events that are shown at once; the others are behind a click. */
const NEWEST = 3;

/** The page of a parcel. @param more whether it is shown in a frame, and for whom. */
export function parcelPage(
  view: PageView,
  { brand, isEmbedded, frameAncestors }: { brand: Brand; isEmbedded: boolean; frameAncestors: readonly string[] },
): Document {
  const { language, texts, headline, order, tone, record } = view;
  const status = texts.subStatus[record.subStatus];
  const main = html`<main>
${order !== null && parcelsOf(order, view, isEmbedded)}
${status !== headline && html`<p class="pill ${tone}">${status}</p>`}
${order === null ? html`<h1>${headline}</h1>` : html`<h2>${headline}</h2>`}
${view.notes.map((note) => html`<p class="note">${note}</p>`)}
${view.carriers.length > 0 && carriers(view)}
${progress(view)}
${view.nextStep !== null && html`<section><h2>${texts.page.whatNow}</h2><p class="note">${view.nextStep}</p></section>`}
${history(view)}
</main>
${footer(view)}`;
  return layout({ language, title: order?.headline ?? headline, brand, isEmbedded, frameAncestors, main });
}

/** The parcels of an order, each with a link to its page; that of this page first says so. */
function parcelsOf({ headline, parcels }: OrderView, { record, language, texts }: PageView, isEmbedded: boolean): Html {
  const items = parcels.map(({ record: { id }, token, headline: own, tone, number }, n) => {
    const address = isEmbedded ? `../${token}/embed?lang=${language}` : `${token}?lang=${language}`;
    const name = number === null ? html`${n + 1}` : html`<code dir="ltr">${number}</code>`;
    return html`<li><a href="${address}"${isEmbedded && html` target="_self"`}${id === record.id && html` aria-current="page"`}>${name}</a> <span class="${tone}">${own}</span></li>
`;
  });
  return html`<h1>${headline}</h1>
<nav aria-label="${texts.page.order.parcels}"><ol class="parcels">${items}</ol></nav>`;
}

function carriers({ carriers: shown, texts: { page } }: PageView): Html {
  const label = (n: number) => (n === 0 ? page.carrier : page.handedOverTo);
  return html`<dl class="carrier">${shown.map(
    (carrier, n) => html`<dt>${label(n)}</dt><dd>${carrier.name}</dd>
${carrier.number !== null && html`<dt>${page.trackingNumber}</dt><dd><code dir="ltr">${carrier.number}</code><button type="button" hidden data-copy="${carrier.number}" data-done="${page.copied}" aria-live="polite">${page.copy}</button></dd>`}
<dt></dt><dd>${site(carrier, page.trackAt)}</dd>`,
  )}</dl>`;
}

function site({ url }: ShownCarrier, text: string): Html {
  return html`<a href="${url}" rel="noopener noreferrer">${fill(text, { site: siteOf(url) })}</a>`;
}

function progress({ steps, texts: { page } }: PageView): Html {
  const items = steps.map(
    ({ text, state }) =>
      html`<li class="${state}"${state === 'current' && html` aria-current="step"`}>${text}${state === 'done' && html`<span class="hidden"> ✓</span>`}</li>`,
  );
  return html`<ol class="steps" aria-label="${page.progress}">${items}</ol>`;
}

function history(view: PageView): Html | false {
  const { events, omitted, texts, dates } = view;
  const { page } = texts;
  if (events.length === 0) return false;
  const [newest, earlier] = [events.slice(0, NEWEST), events.slice(NEWEST)];
  const count = dates.number(earlier.length + omitted);
  const left = omitted > 0 && html`<p class="small">${fill(page.omitted, { count: dates.number(omitted) })}</p>`;
  const rest =
    earlier.length + omitted > 0 &&
    html`<details class="earlier"><summary>${fill(page.earlier, { count })}</summary>${days(earlier, view)}${left}</details>`;
  return html`<section><h2>${page.history}</h2>
${days(newest, view)}
${rest}
<p class="small">${page.localTimes}</p></section>`;
}

/** Events, newest first, under their days. */
function days(events: readonly ShownEvent[], view: PageView): Html[] {
  const groups = new Map<string, ShownEvent[]>();
  for (const event of events) groups.set(event.day, [...(groups.get(event.day) ?? []), event]);
  return [...groups].map(([day, listed]) => {
    const today = dayIn(listed[0]?.zone ?? view.zone, view.now);
    return html`<h3>${view.dates.heading(day, today)}</h3>
<ol class="events">${listed.map((event) => item(event, view))}</ol>`;
  });
}

function item({ scan, zone, description, location, lang }: ShownEvent, { dates }: PageView): Html {
  const language = lang !== null && html` lang="${lang}"`;
  const place = location !== '' && html`<span class="place"${language} dir="auto">${location}</span>`;
  return html`<li><time datetime="${scan.time}">${dates.time(zone, new Date(scan.time))}</time><span${language} dir="auto">${description}</span>${place}</li>
`;
}

function footer({ record: { supportUrl }, texts: { page } }: PageView): Html | false {
  if (supportUrl === null) return false;
  const shown = supportUrl.startsWith('mailto:') ? supportUrl.slice('mailto:'.length) : page.contact;
  return html`<footer><p>${page.questions} <a href="${supportUrl}" rel="noopener noreferrer">${shown}</a></p></footer>`;
}

/** A page without a parcel: why there is none. */
export type NoticeName = Extract<keyof Texts['page'], 'gone' | 'missing' | 'busy' | 'unavailable'>;

/** The page that says why there is no other. Only one that has expired says whose it was. */
export function noticePage(name: NoticeName, language: Language, brand = NO_BRAND, framing = UNFRAMED): Document {
  const { page } = TEXTS[language];
  const { title, text } = page[name];
  const toShop =
    brand.url !== null && html`<p class="note"><a href="${brand.url}" rel="noopener noreferrer">${page.toShop}</a></p>`;
  const main = html`<main>
<h1>${title}</h1>
<p class="note">${text}</p>
${toShop}
</main>`;
  return layout({ language, title, brand, ...framing, main });
}

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
function layout({ language, title, brand, isEmbedded, frameAncestors, main }: Layout): Document {
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
function siteOf(url: string): string {
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

/**
 * The style of the pages: readable from 320 pixels on, light and dark as the reader's system is, printable on one
 * sheet.
 */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b2430;--muted:#5b6675;--line:#e3e7ec;--paper:#fff;--sunken:#f6f8fa;--accent:#1f5fbf;
--pending:#4a5563;--pending-tint:#eef1f5;--moving:#174a94;--moving-tint:#e6effb;--near:#5b2c9b;--near-tint:#f1eafc;
--delivered:#17603a;--delivered-tint:#e3f5ea;--trouble:#7a4a00;--trouble-tint:#fdf1da;--failed:#9b1c1c;--failed-tint:#fde8e8}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--muted:#9aa6b5;--line:#2a323d;--paper:#11161d;--sunken:#0b0f14;--accent:#6ea8ff;
--pending:#c2cad6;--pending-tint:#232b36;--moving:#a9ccff;--moving-tint:#15294a;--near:#d3b8ff;--near-tint:#2d1e4d;
--delivered:#98e0b5;--delivered-tint:#11331f;--trouble:#f3cf86;--trouble-tint:#3a2a0b;--failed:#ffb4b4;--failed-tint:#431818}}
*,*::before,*::after{box-sizing:border-box;margin:0;padding:0}
html{background:var(--sunken);color:var(--ink);font:16px/24px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC","Noto Sans Arabic",sans-serif;-webkit-text-size-adjust:100%}
body{max-width:560px;min-height:100vh;margin:0 auto;padding:0 16px 32px;background:var(--paper);overflow-wrap:break-word}
body.bare{min-height:0;padding-top:16px}
header{display:flex;justify-content:space-between;align-items:center;gap:16px;min-height:64px;padding:8px 0;border-bottom:1px solid var(--line)}
.shop{display:flex;align-items:center;min-height:44px;font-weight:600;color:inherit;text-decoration:none}
.shop img{display:block;width:auto;height:auto;max-width:200px;max-height:44px}
.sheet{background:#fff;border-radius:6px;padding:4px}
a{color:var(--accent)}
a:focus-visible,summary:focus-visible,button:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:2px}
summary{cursor:pointer}
.langs{position:relative;font-size:14px}
.langs summary{display:flex;align-items:center;min-height:44px;color:var(--muted);white-space:nowrap}
.langs summary::after{content:"\\25be";margin-inline-start:4px}
.langs summary::-webkit-details-marker{display:none}
.langs ul{position:absolute;inset-inline-end:0;z-index:1;min-width:160px;padding:4px 0;list-style:none;background:var(--paper);border:1px solid var(--line);border-radius:6px;box-shadow:0 4px 16px #0003}
.langs a{display:block;padding:8px 16px;color:inherit;text-decoration:none}
.langs a:hover{background:var(--sunken)}
.langs [aria-current]{font-weight:600}
.pill{width:fit-content;margin-top:24px;padding:0 8px;border-radius:6px;font-size:14px;line-height:24px;font-weight:600}
.pending{color:var(--pending);background:var(--pending-tint)}.moving{color:var(--moving);background:var(--moving-tint)}
.near{color:var(--near);background:var(--near-tint)}.delivered{color:var(--delivered);background:var(--delivered-tint)}
.trouble{color:var(--trouble);background:var(--trouble-tint)}.failed{color:var(--failed);background:var(--failed-tint)}
h1{margin-top:24px;font-size:24px;line-height:30px;font-weight:600}
.pill+h1{margin-top:8px}
h2{margin-top:24px;font-size:16px;line-height:24px;font-weight:600}
h3{margin-top:16px;font-size:14px;line-height:20px;font-weight:600;color:var(--muted)}
.note{margin-top:8px}
.parcels{margin-top:16px;list-style:none;font-size:14px}
.parcels li{display:flex;flex-wrap:wrap;align-items:center;gap:4px 12px;min-height:44px;border-bottom:1px solid var(--line)}
.parcels span{padding:0 8px;border-radius:6px}
.parcels [aria-current]{font-weight:600;color:inherit;text-decoration:none}
.carrier{display:grid;grid-template-columns:minmax(0,max-content) minmax(0,1fr);gap:4px 16px;margin-top:16px;font-size:14px}
.carrier dt{color:var(--muted)}
code{font:14px/24px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;user-select:all;-webkit-user-select:all;overflow-wrap:anywhere}
button{min-height:24px;margin-inline-start:8px;padding:0 8px;font:inherit;font-size:12px;color:var(--ink);background:var(--sunken);border:1px solid var(--line);border-radius:6px;cursor:pointer}
.steps{display:grid;isolation:isolate;grid-template-columns:repeat(4,minmax(0,1fr));margin-top:24px;list-style:none;font-size:12px;line-height:16px;text-align:center}
.steps li{position:relative;padding:24px 4px 0;color:var(--muted);hyphens:auto;overflow-wrap:anywhere}
.steps li::before{content:"";position:absolute;top:7px;inset-inline:-50% 50%;height:2px;background:var(--line)}
.steps li:first-child::before{display:none}
.steps li::after{content:"";position:absolute;z-index:1;top:0;left:50%;width:16px;height:16px;margin-left:-8px;border:2px solid var(--line);border-radius:50%;background:var(--paper)}
.steps .done::before,.steps .current::before{background:var(--accent)}
.steps .done::after{border-color:var(--accent);background:var(--accent)}
.steps .current::after{border:5px solid var(--accent)}
.steps .done,.steps .current{color:var(--ink)}
.steps .current{font-weight:600}
.events{list-style:none}
.events li{display:grid;grid-template-columns:56px minmax(0,1fr);gap:0 12px;padding:8px 0;border-bottom:1px solid var(--line)}
.events time{font-variant-numeric:tabular-nums;color:var(--muted);font-size:14px}
.place,.small{color:var(--muted);font-size:14px;line-height:20px}
.place{grid-column:2}
.earlier summary{min-height:44px;padding-top:12px;color:var(--accent)}
.small{margin-top:16px}
footer{margin-top:24px;padding-top:16px;border-top:1px solid var(--line)}
footer a{display:inline-block;min-height:24px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:359px){.carrier{grid-template-columns:minmax(0,1fr)}.carrier dd+dt{margin-top:8px}.carrier dt:empty{display:none}
.steps{grid-template-columns:minmax(0,1fr);text-align:start;font-size:14px;line-height:20px}.steps li{padding:0 0 12px;padding-inline-start:28px}
.steps li::before{top:-14px;bottom:auto;inset-inline:7px auto;width:2px;height:22px}.steps li::after{top:2px;inset-inline:0 auto;margin:0}}
@media (forced-colors:active){.steps li::before{background:GrayText}.steps .done::before,.steps .current::before,.steps .done::after{background:CanvasText}
.pill{border:1px solid}.sheet{forced-color-adjust:none}}
@media print{html{font-size:12px;line-height:16px}html,body{background:none}.langs,button,.earlier summary{display:none}h1{font-size:20px}body{min-height:0;padding:0}.events li{padding:4px 0;break-inside:avoid}}
`.trim();

/**
 * The buttons that copy appear only where they work. In a frame of another origin, a browser may allow only the older
 * command.
 */
const SCRIPT = `
for(const b of document.querySelectorAll("button[data-copy]")){if(!navigator.clipboard)break;b.hidden=false;
const t=b.textContent;b.onclick=async()=>{try{await navigator.clipboard.writeText(b.dataset.copy)}
catch{getSelection().selectAllChildren(b.previousElementSibling);if(!document.execCommand("copy"))return}
b.textContent=b.dataset.done;setTimeout(()=>{b.textContent=t},2000)}}
`.trim();
