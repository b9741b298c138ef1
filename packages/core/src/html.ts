/** Markup that needs no escaping: what `html` returns. */
export type Html = { readonly markup: string };

type Value = string | number | Html | readonly Html[] | null | false;

/** A template of markup. Values are escaped, except markup itself; lists are joined, and null and false are nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { markup: String.raw({ raw: parts }, ...values.map(markupOf)) };
}

function markupOf(value: Value): string {
  if (value === null || value === false) return '';
  if (typeof value !== 'object') return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
  return isMarkup(value) ? value.markup : value.map(({ markup }) => markup).join('');
}

function isMarkup(value: Html | readonly Html[]): value is Html {
  return 'markup' in value;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
