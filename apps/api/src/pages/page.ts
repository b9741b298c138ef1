import { type Html, html } from '@pts/core/html';
import { fill } from '@pts/core/languages/texts';
import { dayIn } from '@pts/core/page';
import { type Brand, type Document, layout, siteOf } from './layout.ts';
import type { ShownCarrier } from './view/carriers.ts';
import type { PageView } from './view/page-view.ts';
import type { ShownEvent } from './view/shown-events.ts';

/** The events that are shown at once; the others are behind a click. */
const NEWEST = 3;

/** The page of a parcel. @param more whether it is shown in a frame, and for whom. */
export function parcelPage(
  view: PageView,
  { brand, isEmbedded, frameAncestors }: { brand: Brand; isEmbedded: boolean; frameAncestors: readonly string[] },
): Document {
  const { language, texts, headline, tone, record } = view;
  const status = texts.subStatus[record.subStatus];
  const main = html`<main>
${status !== headline && html`<p class="pill ${tone}">${status}</p>`}
<h1>${headline}</h1>
${view.notes.map((note) => html`<p class="note">${note}</p>`)}
${view.carriers.length > 0 && carriers(view)}
${progress(view)}
${view.nextStep !== null && html`<section><h2>${texts.page.whatNow}</h2><p class="note">${view.nextStep}</p></section>`}
${history(view)}
</main>
${footer(view)}`;
  return layout({ language, title: headline, brand, isEmbedded, frameAncestors, main });
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
