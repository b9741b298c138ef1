import { createHash } from 'node:crypto';
import { type Html, html } from '@pts/core/html';
import type { Texts } from '@pts/core/languages/table';
import { directionOf, fill, LANGUAGES, type Language, TEXTS } from '@pts/core/languages/texts';
import { dayIn, type NextStep } from '@pts/core/page';
import { onDark } from '@pts/core/page-brand';
import type { SubStatus } from '@pts/core/tracking/status';
import type { OrderView, PageView, ShownEvent } from './view.ts';

/** The events that are shown at once; the others are behind a click. */
const NEWEST = 3;

/** The page of a parcel. @param more whether it is shown in a frame, and for whom. */
export function parcelPage(
  view: PageView,
  { brand, isEmbedded, frameAncestors }: { brand: Brand; isEmbedded: boolean; frameAncestors: readonly string[] },
): Document {
  const { language, headline, order } = view;
  const main = html`<main>
${order !== null && parcelsOf(order, view, isEmbedded)}
${hero(view)}
<div class="side">
${pickupPoint(view)}
${details(view)}
</div>
${history(view)}
</main>
${footer(view)}`;
  return layout({ language, title: order?.headline ?? headline, brand, isEmbedded, frameAncestors, main });
}

/** The parcels of an order, each with a link to its page; that of this page first says so. */
function parcelsOf({ headline, parcels }: OrderView, { record, language, texts }: PageView, isEmbedded: boolean): Html {
  const items = parcels.map(({ record: { id }, token, headline: own, tone, number, product }, n) => {
    const address = isEmbedded ? `../${token}/embed?lang=${language}` : `${token}?lang=${language}`;
    const name = number === null ? html`${n + 1}` : html`<code dir="ltr">${number}</code>`;
    return html`<li${id === record.id && html` class="here"`}><a href="${address}"${isEmbedded && html` target="_self"`}${id === record.id && html` aria-current="page"`}>${product !== null && html`<bdi>${product}</bdi> `}${name}</a> <span class="state ${tone}">${own}</span></li>
`;
  });
  return html`<section class="card order"><h1>${headline}</h1>
<nav aria-label="${texts.page.order.parcels}"><ol class="parcels">${items}</ol></nav></section>`;
}

/** When it arrives, how far it is, and what the buyer can do. */
function hero(view: PageView): Html {
  const { order, tone, notes, status, steps, texts, dates, problemText, nextStep, carriers } = view;
  const { supportUrl, notifyUrl, subStatus } = view.record;
  const { page } = texts;
  const isTrouble = tone === 'trouble' || tone === 'failed';
  const reached = steps.filter(({ state }) => state !== 'todo').length;
  const step = fill(page.stepOf, { step: dates.number(reached), total: dates.number(steps.length) });
  const carrier = carriers.at(-1);
  const isCarriers = nextStep !== null && FOR_THE_CARRIER.includes(nextStep);
  const asks = isTrouble && nextStep !== null && !NOTHING_TO_DO.includes(nextStep);
  const advice =
    nextStep !== null &&
    (isTrouble
      ? html`<div class="alert">${ICONS.alert}<div>${problemText !== null && html`<h2>${problemText}</h2>`}<p>${page.nextStep[nextStep]}</p></div></div>`
      : html`<p class="note">${page.nextStep[nextStep]}</p>`);
  const actions = [
    ...(asks && isCarriers && carrier ? [button(carrier.url, fill(page.trackAt, { site: siteOf(carrier.url) }))] : []),
    ...(asks && supportUrl !== null ? [button(supportUrl, page.contact)] : []),
    ...(notifyUrl !== null && !HAS_ENDED.includes(subStatus) ? [button(notifyUrl, page.notify, ICONS.bell)] : []),
  ];
  return html`<section class="card hero ${tone}">
${order === null ? html`<h1>${sentence(view)}</h1>` : html`<h2>${sentence(view)}</h2>`}
${notes.map((note) => html`<p class="muted">${note}</p>`)}
<div class="bar" role="img" aria-label="${step}">${steps.map(({ state }) => html`<i class="${state}"></i>`)}</div>
${status !== null && html`<p class="status">${status}</p>`}
${advice}
${actions.length > 0 && html`<p class="actions">${actions}</p>`}
</section>`;
}

/** The advice to ask the carrier, on whose site a buyer chooses, pays or uploads; otherwise the shop is asked. */
const FOR_THE_CARRIER: readonly NextStep[] = ['failed_attempt', 'recipient_unavailable', 'customs', 'payment', 'held'];
const NOTHING_TO_DO: readonly NextStep[] = ['delayed', 'weather'];

/** The headline, whose date stays on one line. */
function sentence({ headline, date }: PageView): Html {
  const [before = '', after] = date === '' ? [headline] : headline.split(date);
  return after === undefined ? html`${headline}` : html`${before}<span>${date}</span>${after}`;
}

/** The states of parcels of which no more news is expected. */
const HAS_ENDED: readonly SubStatus[] = ['delivered', 'returned'];

function button(url: string, text: string, icon: Html | false = false): Html {
  return html`<a class="button" href="${url}" rel="noopener noreferrer">${icon}${text}</a>`;
}

function icon(path: string): Html {
  return html`<svg aria-hidden="true" viewBox="0 0 24 24" width="20" height="20" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
}

const ICONS = {
  alert: icon('M12 8v5m0 3.5v.01M10.3 3.9 2.4 17.5A2 2 0 0 0 4.1 20.5h15.8a2 2 0 0 0 1.7-3L13.7 3.9a2 2 0 0 0-3.4 0z'),
  bell: icon('M18 9a6 6 0 0 0-12 0c0 6-2.5 7-2.5 7h17S18 15 18 9m-4.5 11a2 2 0 0 1-3 0'),
  pin: icon('M12 21.5s7-6.4 7-11.5a7 7 0 0 0-14 0c0 5.1 7 11.5 7 11.5zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z'),
};

/** Where the parcel waits, in the words of its carrier. */
function pickupPoint({ pickupPoint: shown, texts: { page } }: PageView): Html | false {
  if (shown === null) return false;
  const { name, address, openingHours } = shown.point;
  const { mapUrl } = shown;
  return html`<section class="card pickup"><h2>${ICONS.pin}${page.pickupPoint}</h2>
${name !== undefined && html`<p class="name" dir="auto">${name}</p>`}
${address !== undefined && html`<p dir="auto">${address}</p>`}
${openingHours !== undefined && html`<p class="muted">${page.openingHours}: <bdi>${openingHours}</bdi></p>`}
${mapUrl !== null && html`<p class="actions">${button(mapUrl, page.openMap)}</p>`}</section>`;
}

/** The product, the order, the carriers, and how it was delivered. */
function details({ product, orderNumber, delivered, carriers, texts: { page } }: PageView): Html | false {
  const row = (label: string, value: Html) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const rows = [
    ...(product === null ? [] : [row(page.product, html`<bdi>${product}</bdi>`)]),
    ...(orderNumber === null ? [] : [row(page.orderNumber, html`<bdi>${orderNumber}</bdi>`)]),
    ...(delivered?.to ? [row(page.deliveredTo, html`${delivered.to}`)] : []),
    ...(delivered?.signedBy ? [row(page.signedBy, html`${delivered.signedBy}`)] : []),
    ...carriers.flatMap(({ name, number, url }, n) => [
      row(
        n === 0 ? page.carrier : page.handedOverTo,
        html`${name}<a href="${url}" rel="noopener noreferrer">${fill(page.trackAt, { site: siteOf(url) })}</a>`,
      ),
      ...(number === null ? [] : [row(page.trackingNumber, copied(number, page))]),
    ]),
  ];
  return rows.length > 0 && html`<section class="card"><dl class="facts">${rows}</dl></section>`;
}

function copied(number: string, { copy, copied: done }: Texts['page']): Html {
  return html`<code dir="ltr">${number}</code><button type="button" hidden data-copy="${number}" data-done="${done}" aria-live="polite">${copy}</button>`;
}

function history(view: PageView): Html | false {
  const { events, omitted, texts, dates } = view;
  const { page } = texts;
  if (events.length === 0) return false;
  const [newest, earlier] = [events.slice(0, NEWEST), events.slice(NEWEST)];
  const count = dates.number(earlier.length + omitted);
  const left = omitted > 0 && html`<p class="muted">${fill(page.omitted, { count: dates.number(omitted) })}</p>`;
  const rest =
    earlier.length + omitted > 0 &&
    html`<details class="earlier"><summary>${fill(page.earlier, { count })}</summary>${days(earlier, view)}${left}</details>`;
  return html`<section class="card history"><h2>${page.history}</h2>
${days(newest, view)}
${rest}
<p class="muted">${page.localTimes}</p></section>`;
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

/** Shows what has happened, and below it the carrier's own words if they are in another language. */
function item({ scan, zone, text, description, location, lang }: ShownEvent, { dates }: PageView): Html {
  const language = lang !== null && html` lang="${lang}"`;
  const isOriginal = text === description;
  const original = !isOriginal && html`<q${language} dir="auto">${description}</q>`;
  const place = location !== '' && html`<span class="place"${language} dir="auto">${location}</span>`;
  return html`<li><time datetime="${scan.time}">${dates.time(zone, new Date(scan.time))}</time><b${isOriginal && language} dir="auto">${text}</b>${original}${place}</li>
`;
}

function footer({ record: { supportUrl }, texts: { page } }: PageView): Html | false {
  if (supportUrl === null) return false;
  const shown = supportUrl.startsWith('mailto:') ? supportUrl.slice('mailto:'.length) : page.contact;
  return html`<footer><p>${page.questions} <a href="${supportUrl}" rel="noopener noreferrer">${shown}</a></p></footer>`;
}

/** A page without a parcel: why there is none. */
export type ErrorPageName = Extract<keyof Texts['page'], 'gone' | 'missing' | 'busy' | 'unavailable'>;

/** The page that says why there is no other. Only one that has expired says whose it was. */
export function errorPage(name: ErrorPageName, language: Language, brand = NO_BRAND, framing = UNFRAMED): Document {
  const { page } = TEXTS[language];
  const { title, text } = page[name];
  const toShop = brand.url !== null && html`<p class="actions">${button(brand.url, page.toShop)}</p>`;
  const main = html`<main class="alone"><section class="card">
<h1>${title}</h1>
<p class="note">${text}</p>
${toShop}
</section></main>`;
  return layout({ language, title, brand, ...framing, main });
}

/** The entries of a buyer who looks for a parcel. */
export type Entries = { order_id: string; postal_code: string };

/** The form that finds a parcel by the number of its order and a postal code. */
export type LookupForm = {
  language: Language;
  brand: Brand;
  /** The address of the form, relative to the page. */
  action: string;
  supportUrl: string | null;
  entries?: Entries;
  /** Why there is no parcel: the link, the entries, or too many attempts. */
  fault?: 'missing' | 'gone' | 'notFound' | 'limited';
};

export function lookupPage({ language, brand, action, supportUrl, entries, fault }: LookupForm): Document {
  const { page } = TEXTS[language];
  const { lookup } = page;
  const isOfLink = fault === 'missing' || fault === 'gone';
  const why = isOfLink ? page[fault].title : fault && lookup[fault];
  const input = (name: keyof Entries, label: string, more: Html) =>
    html`<label>${label}<input name="${name}" value="${entries?.[name] ?? ''}" required maxlength="100" dir="auto" autocapitalize="off" spellcheck="false"${more}></label>`;
  const main = html`<main class="alone"><section class="card ${isOfLink ? '' : 'trouble'}">
<h1>${lookup.title}</h1>
${why !== undefined && html`<p class="alert" role="alert">${ICONS.alert}${why}</p>`}
<p class="note">${lookup.text}</p>
<form method="post" action="${action}">
${input('order_id', page.orderNumber, html` autocomplete="off"`)}
${input('postal_code', lookup.postalCode, html` autocomplete="postal-code"`)}
<p class="actions"><button class="button">${lookup.submit}</button></p>
</form>
</section></main>
${supportUrl !== null && html`<footer><p>${page.questions} <a href="${supportUrl}" rel="noopener noreferrer">${page.contact}</a></p></footer>`}`;
  return layout({ language, title: lookup.title, brand, ...UNFRAMED, main, hasForm: true });
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
  hasForm?: boolean;
};

/** A document around its content. It loads nothing but the logo of the shop, from us. */
function layout({ language, title, brand, isEmbedded, frameAncestors, main, hasForm = false }: Layout): Document {
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
  return { body: markup, csp: policy(styles, frameAncestors, hasForm) };
}

/** Own content only; styles and the script by their hashes. */
function policy(styles: readonly string[], frameAncestors: readonly string[], hasForm: boolean): string {
  return [
    "default-src 'none'",
    `style-src ${styles.map(hashSource).join(' ')}`,
    `script-src ${hashSource(SCRIPT)}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
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
  return html`<div class="top"><header>
${url === null ? html`<span class="shop">${shown}</span>` : html`<a class="shop" href="${url}" rel="${rel}">${shown}</a>`}
<details class="langs"><summary><span class="hidden">${TEXTS[language].page.language}: </span>${TEXTS[language].name}</summary>
<ul>${links}</ul></details>
</header></div>`;
}

/**
 * The style of the pages: readable from 320 pixels on, light and dark as the reader's system is, printable on one
 * sheet.
 */
const STYLE = `
:root{color-scheme:light dark;--ink:#14181f;--muted:#5b6472;--line:#e4e7ec;--card:#fff;--back:#f5f6f8;--accent:#1f5fbf;--on:#fff;
--good:#17603a;--trouble:#7a4a00;--trouble-bar:#d98a00;--trouble-tint:#fff4dc;--failed:#9b1c1c;--failed-bar:#d33a3a;--failed-tint:#fdecec}
@media (prefers-color-scheme:dark){:root{--ink:#eceff4;--muted:#9ba5b4;--line:#29303a;--card:#11161d;--back:#0a0d12;--accent:#6ea8ff;--on:#0a0d12;
--good:#7fd6a3;--trouble:#f5c975;--trouble-bar:#d99a2b;--trouble-tint:#2c2008;--failed:#ffb0b0;--failed-bar:#e05a5a;--failed-tint:#361414}}
*,*::before,*::after{box-sizing:border-box;margin:0;padding:0}
html{background:var(--back);color:var(--ink);font:16px/24px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC","Noto Sans Arabic",sans-serif;-webkit-text-size-adjust:100%}
body{min-height:100vh;overflow-wrap:break-word}
body.bare{min-height:0;background:var(--back)}
header,main,footer{max-width:1008px;margin:0 auto;padding:0 16px}
.top{background:var(--card);border-top:4px solid var(--accent);border-bottom:1px solid var(--line)}
header{display:flex;justify-content:space-between;align-items:center;gap:16px;min-height:64px}
.shop{display:flex;align-items:center;min-height:44px;font-size:18px;font-weight:650;letter-spacing:-.01em;color:inherit;text-decoration:none}
.shop img{display:block;width:auto;height:auto;max-width:200px;max-height:44px}
.sheet{background:#fff;border-radius:6px;padding:4px}
a{color:var(--accent);text-underline-offset:3px}
a:focus-visible,summary:focus-visible,button:focus-visible,input:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
summary{cursor:pointer}
.langs{position:relative;font-size:14px}
.langs summary{display:flex;align-items:center;min-height:44px;color:var(--muted);white-space:nowrap;list-style:none}
.langs summary::after{content:"\\25be";margin-inline-start:6px}
.langs summary::-webkit-details-marker{display:none}
.langs ul{position:absolute;inset-inline-end:0;z-index:1;min-width:168px;padding:6px;list-style:none;background:var(--card);border:1px solid var(--line);border-radius:10px;box-shadow:0 8px 32px #0003}
.langs a{display:block;padding:8px 12px;border-radius:6px;color:inherit;text-decoration:none}
.langs a:hover{background:var(--back)}
.langs [aria-current]{font-weight:600}
main{display:grid;gap:16px;padding-block:16px;align-items:start}
.alone{max-width:560px}
.card{min-width:0;padding:20px;background:var(--card);border:1px solid var(--line);border-radius:14px}
.side{display:grid;gap:16px;min-width:0}
.side:empty{display:none}
h1,.hero>h2{font-size:clamp(26px,6vw,34px);line-height:1.18;font-weight:650;letter-spacing:-.02em;text-wrap:balance}
h1 span,.hero>h2 span{display:inline-block}
.order h1{font-size:22px}
h2{font-size:16px;font-weight:650}
h3{margin-top:20px;font-size:13px;line-height:20px;font-weight:600;color:var(--muted)}
.muted{color:var(--muted);font-size:14px;line-height:20px;margin-top:6px}
.note{margin-top:12px}
.hero{--tone:var(--accent)}.hero.delivered{--tone:var(--good)}.hero.trouble{--tone:var(--trouble-bar)}.hero.failed{--tone:var(--failed-bar)}
.bar{display:flex;gap:4px;margin-top:20px}
.bar i{flex:1;height:6px;border-radius:3px;background:var(--line)}
.bar .done,.bar .current{background:var(--tone)}
.status{margin-top:10px;font-weight:600}
.alert{display:flex;gap:12px;margin-top:16px;padding:14px 16px;border-radius:10px;color:var(--trouble);background:var(--trouble-tint)}
.failed .alert{color:var(--failed);background:var(--failed-tint)}
.alert svg{flex:none;margin-top:2px}
.alert div{color:var(--ink)}.alert h2{color:var(--trouble)}.failed .alert h2{color:var(--failed)}
.actions{display:flex;flex-wrap:wrap;gap:8px;margin-top:16px}
.hero .button{flex:1 1 auto}
.button{display:inline-flex;align-items:center;justify-content:center;gap:8px;min-height:44px;margin:0;padding:8px 16px;border:1px solid var(--line);border-radius:10px;background:var(--card);color:var(--ink);font:inherit;font-weight:600;line-height:20px;text-decoration:none;cursor:pointer}
.button:hover{background:var(--back)}
.actions .button:first-child{border-color:var(--accent);background:var(--accent);color:var(--on)}
.actions .button:first-child:hover{filter:brightness(1.08)}
.parcels{margin-top:12px;list-style:none}
.parcels li{margin-inline:-12px;padding:8px 12px;border-radius:10px}
.parcels .here{background:var(--back)}
.parcels a{display:block;color:inherit;text-decoration:none}
.parcels a:hover{text-decoration:underline}
.parcels bdi{display:block;font-weight:500}
.parcels code{color:var(--muted);font-size:13px;line-height:18px}
.state{font-size:14px}
.state::before{content:"";display:inline-block;width:8px;height:8px;margin-inline-end:8px;border-radius:50%;background:var(--accent)}
.state.delivered::before{background:var(--good)}.state.trouble::before{background:var(--trouble-bar)}.state.failed::before{background:var(--failed-bar)}
.pickup h2{display:flex;align-items:center;gap:8px;margin-bottom:8px}
.name{font-weight:600}
.facts{display:grid;gap:14px}
.facts dt{color:var(--muted);font-size:13px;line-height:18px}
.facts dd{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:0 12px;min-width:0}
.facts dd a{font-size:14px}
code{font:14px/24px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
dd code{user-select:all;-webkit-user-select:all}
dd button{min-height:24px;padding:0 8px;font:inherit;font-size:12px;color:var(--ink);background:var(--back);border:1px solid var(--line);border-radius:6px;cursor:pointer}
.events{list-style:none}
.events li{position:relative;display:grid;grid-template-columns:44px minmax(0,1fr);gap:0 32px;padding:8px 0}
.events li::before{content:"";position:absolute;inset-inline-start:56px;top:16px;width:8px;height:8px;border-radius:50%;background:var(--muted)}
.events li::after{content:"";position:absolute;inset-inline-start:59.5px;top:28px;bottom:-12px;width:1px;background:var(--line)}
.events li:last-child::after{display:none}
.events time{font-size:14px;font-variant-numeric:tabular-nums;color:var(--muted)}
.events b{font-weight:500}
h2+h3+.events li:first-child::before{background:var(--accent);box-shadow:0 0 0 4px color-mix(in srgb,var(--accent) 20%,transparent)}
.events q,.place{grid-column:2;color:var(--muted);font-size:14px;line-height:20px;quotes:none}
.earlier{margin-top:8px}
.earlier summary{min-height:44px;padding-top:10px;color:var(--accent)}
.history>.muted{margin-top:16px}
form{display:grid;gap:14px;margin-top:16px}
label{display:grid;gap:6px;font-size:14px;font-weight:600}
input{min-height:48px;padding:8px 12px;border:1px solid var(--muted);border-radius:10px;background:var(--card);color:inherit;font:inherit;font-weight:400}
form .actions{margin-top:2px}
footer{padding-bottom:32px;color:var(--muted)}
footer a{display:inline-block;min-height:24px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (min-width:880px){main:not(.alone){grid-template-columns:minmax(0,1fr) 336px;grid-template-rows:auto 1fr;padding-block:32px}main.alone{padding-block:48px}
.card{padding:28px}.hero .button{flex:none}.side .card{padding:24px}.order{grid-column:1/-1}.side{grid-column:2;grid-row:span 2}.side:empty+.history,.side:empty{grid-column:1}
.parcels li{display:flex;justify-content:space-between;align-items:center;gap:16px}}
@media (forced-colors:active){.bar i{border:1px solid GrayText}.bar .done,.bar .current{background:CanvasText;border-color:CanvasText;forced-color-adjust:none}
.alert{border:1px solid}.events li::before{background:CanvasText;forced-color-adjust:none}.parcels [aria-current]{text-decoration:underline}.sheet{forced-color-adjust:none}}
@media print{html{font-size:12px;line-height:16px}html,body,.top,.card{background:none}.langs,button,.earlier summary,.actions{display:none}.card{padding:8px 0;border:0}main,main:not(.alone){display:block;padding-block:0}
h1,.hero>h2{font-size:20px}body{min-height:0}.events li{padding:3px 0;break-inside:avoid}.bar i,.events li::before{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
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
