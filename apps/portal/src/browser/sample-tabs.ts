import { EXAMPLE_HOST } from '../reference/example-host.ts';
import { all, serviceAddress } from './dom.ts';
import { kept } from './kept.ts';

const LANGUAGE = 'pts.docs-language';

/** The samples of every page are shown in the language that the reader has chosen last. */
export function rememberTabs(): void {
  const choices = all<HTMLInputElement>('.choices input');
  const storage = kept(() => localStorage);
  const chosen = storage?.getItem(LANGUAGE);
  for (const choice of choices) {
    if (choice.value === chosen) choice.checked = true;
    choice.addEventListener('change', () => storage?.setItem(LANGUAGE, choice.value));
  }
}

/** What readers copy names this service instead of the example. */
export function showOwnAddress(): void {
  const address = serviceAddress();
  for (const code of all('article code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode } = texts;
      currentNode.nodeValue = (currentNode.nodeValue ?? '').replaceAll(EXAMPLE_HOST, address);
    }
  }
}
