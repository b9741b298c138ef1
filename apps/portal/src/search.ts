import type MiniSearch from 'minisearch';
import type { Options, SearchOptions, SearchResult } from 'minisearch';

/** A part of a page, as the search finds it. `label` and `title` are the page's, `heading` is that of the part. */
export type Entry = { id: number; address: string; label: string; title: string; heading: string; body: string };

const LATIN = /^[\w-]{4,}$/;
const HAN = /\p{Script=Han}+/gu;

/** The index is made and read with the same options. */
export const SEARCH_OPTIONS: Options<Entry> = {
  fields: ['title', 'heading', 'body'],
  storeFields: ['address', 'label', 'title', 'heading'],
  tokenize,
  searchOptions: {
    boost: { title: 3, heading: 2 },
    // A page before its parts, which have its title too.
    boostDocument: (_id, _term, stored) => (stored?.heading === '' ? 2 : 1),
    prefix: (term) => term.length > 1,
    // Typing errors in Latin words: one in five letters.
    fuzzy: (term) => LATIN.test(term) && 0.2,
    combineWith: 'AND',
  },
};

/** For a query that finds nothing: a wrong character of two in Chinese, as input methods produce it. */
const LOOSE: SearchOptions = { fuzzy: (term) => (LATIN.test(term) ? 0.3 : /^\p{Script=Han}{2}$/u.test(term) && 1) };

/** Finds the parts of pages that match a query, the best first. */
export function find(index: MiniSearch<Entry>, query: string): SearchResult[] {
  const found = index.search(query);
  return found.length > 0 ? found : index.search(query, LOOSE);
}

const WORD = /[\p{L}\p{N}_]+/gu;

/**
 * The words of a text, for the index and for queries. Chinese has no spaces: each pair of neighbouring characters is a
 * word, so that 签名 is found within 验证签名. Parts of names are found as well: `tracking_number` is also `tracking` and
 * `number`.
 */
export function tokenize(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap((word) => {
    const chinese = (word.match(HAN) ?? []).flatMap(pairs);
    const others = word.split(HAN).filter((part) => part !== '');
    const pieces = others.flatMap((part) => (part.includes('_') ? [part, ...part.split('_').filter(Boolean)] : [part]));
    return [...chinese, ...pieces];
  });
}

function pairs(characters: string): string[] {
  const each = [...characters];
  return each.length === 1 ? each : each.slice(1).map((character, index) => `${each[index]}${character}`);
}
