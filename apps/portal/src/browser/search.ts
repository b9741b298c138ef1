import MiniSearch, { type SearchResult } from 'minisearch';
import { type Entry, find, SEARCH_OPTIONS } from '../search.ts';
import { one, serviceAddress } from './dom.ts';

const MAX_RESULTS = 20;

let index: Promise<MiniSearch<Entry> | undefined> | undefined;

/** Opens the search. */
export function openSearch(address: string): void {
  const dialog = one<HTMLDialogElement>('dialog.search');
  const input = one<HTMLInputElement>('input', dialog);
  const list = one<HTMLOListElement>('[data-results]', dialog);
  void indexAt(address);
  input.oninput = async () => {
    const search = await indexAt(address);
    if (search) show(list, input.value.trim() === '' ? null : find(search, input.value).slice(0, MAX_RESULTS));
    else list.textContent = list.dataset.failed ?? '';
  };
  input.onkeydown = (event) => {
    // Keys that choose characters in an input method, of Chinese for example.
    if (event.isComposing) return;
    if (event.key === 'Enter') list.querySelector('a')?.click();
    if (event.key === 'ArrowDown') list.querySelector('a')?.focus();
  };
  dialog.onclick = (event) => {
    // A click beside the dialog, or on a result of this page.
    if (event.target === dialog || (event.target instanceof Element && event.target.closest('a'))) dialog.close();
  };
  dialog.showModal();
  input.select();
}

/** The index, which is loaded once; if that has failed, the next key tries it again. */
function indexAt(address: string): Promise<MiniSearch<Entry> | undefined> {
  index ??= load(address).catch(() => {
    index = undefined;
    return undefined;
  });
  return index;
}

async function load(address: string): Promise<MiniSearch<Entry>> {
  const response = await fetch(address);
  return MiniSearch.loadJSON(await response.text(), SEARCH_OPTIONS);
}

function show(list: HTMLOListElement, results: SearchResult[] | null): void {
  list.replaceChildren(...(results ?? []).map(item));
  if (results?.length === 0) list.textContent = list.dataset.none ?? '';
}

function item({ address, label, title, heading }: SearchResult): HTMLLIElement {
  const link = document.createElement('a');
  link.href = `${serviceAddress()}${address}`;
  if (label) {
    const mark = document.createElement('span');
    mark.className = 'label';
    mark.dataset.label = String(label);
    mark.textContent = String(label);
    link.append(mark, ' ');
  }
  link.append(String(title));
  if (heading) {
    const part = document.createElement('small');
    part.textContent = String(heading);
    link.append(' ', part);
  }
  const entry = document.createElement('li');
  entry.append(link);
  return entry;
}
