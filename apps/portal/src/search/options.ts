import type { Options } from 'minisearch';
import { tokenize } from './tokens.ts';

/** A part of a page, as the search finds it. `title` is that of the page, `heading` that of the part. */
export type Entry = { id: number; address: string; language: string; title: string; heading: string; body: string };

/** The index is made and read with the same options. */
export const SEARCH_OPTIONS: Options<Entry> = {
  fields: ['title', 'heading', 'body'],
  storeFields: ['address', 'language', 'title', 'heading'],
  tokenize,
  searchOptions: {
    boost: { title: 3, heading: 2 },
    prefix: (term) => term.length > 1,
    fuzzy: false,
    combineWith: 'AND',
  },
};
