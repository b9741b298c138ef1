import { html } from '@pts/core/html';
import type { Texts } from '@pts/core/languages/table';
import { type Language, TEXTS } from '@pts/core/languages/texts';
import { type Document, layout, NO_BRAND, UNFRAMED } from './layout.ts';

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
