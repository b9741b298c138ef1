import { EXAMPLE_HOST, EXAMPLE_KEY, GUIDES_KEY } from '../reference/placeholders.ts';
import { API_KEY, all, allowed, one, root, serviceAddress } from './dom.ts';

const THEME = 'pts.docs-theme';
const LANGUAGE = 'pts.docs-language';

/** These features of the pages need a script; without one, the pages can be read. */
followOldAddress();
addThemeButton();
rememberTabs();
replaceIn('article code', EXAMPLE_HOST, serviceAddress());
followSession();
addCopyButtons();

for (const link of all<HTMLAnchorElement>('.menu a')) link.addEventListener('click', closeMenu);
document.querySelector('.menu [aria-current]')?.scrollIntoView({ block: 'nearest' });

const [openSearch] = all<HTMLButtonElement>('[data-open-search]');
if (openSearch) {
  openSearch.hidden = false;
  const open = async () => (await import('./search.ts')).openSearch(root().dataset.search ?? '');
  openSearch.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    void open();
  });
}

const [tryIt] = all<HTMLElement>('.try');
if (tryIt) void import('./try-it.ts').then(({ startTryIt }) => startTryIt(tryIt));

/** On a phone, the menu is what the address names. */
function closeMenu(): void {
  if (location.hash === '#menu') history.replaceState(null, '', location.pathname);
}

/** Links into the former reference (`/docs#/Trackings/createTracking`) lead to the page of the operation. */
function followOldAddress(): void {
  const [, operation] = /^#\/[^/]+\/(\w+)$/.exec(location.hash) ?? [];
  if (operation) location.replace(`${root().dataset.root}/reference/${operation}`);
}

/** Switches between light and dark, beginning with what the page shows. */
function addThemeButton(): void {
  const button = one<HTMLButtonElement>('[data-theme-button]');
  button.hidden = false;
  button.addEventListener('click', () => {
    const systemTheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    const theme = (root().dataset.theme ?? systemTheme) === 'dark' ? 'light' : 'dark';
    root().dataset.theme = theme;
    allowed(() => localStorage)?.setItem(THEME, theme);
  });
}

/** The samples of every page are shown in the language that the reader has chosen last. */
function rememberTabs(): void {
  const choices = all<HTMLInputElement>('.choices input');
  const storage = allowed(() => localStorage);
  const chosen = storage?.getItem(LANGUAGE);
  for (const choice of choices) {
    if (choice.value === chosen) choice.checked = true;
    choice.addEventListener('change', () => storage?.setItem(LANGUAGE, choice.value));
  }
}

/** Readers who are signed in to the console, in this tab or with a test key in another, use their key here. */
function followSession(): void {
  const tab = allowed(() => sessionStorage);
  const key = tab?.getItem(API_KEY) ?? '';
  showKey(key);
  const tabs = allowed(() => new BroadcastChannel('pts.session'));
  if (!tabs) return;
  tabs.onmessage = ({ data: { kind, keys } }) => {
    if (kind === 'ended') tab?.removeItem(API_KEY);
    // A live key stays where it is.
    if (kind !== 'has' || !isTestKey(keys.apiKey) || tab?.getItem(API_KEY)) return;
    tab?.setItem(API_KEY, keys.apiKey);
    showKey(keys.apiKey);
  };
  if (key === '') tabs.postMessage({ kind: 'asks' });
}

function isTestKey(key: string): boolean {
  return /^tk_test_[0-9a-f]{48}$/.test(key);
}

/** Puts a key into the form and, if it is a test key, into the code that readers copy. */
function showKey(key: string): void {
  const [field] = all<HTMLInputElement>('.try [name=key]');
  if (field) field.value = key;
  if (!isTestKey(key)) return;
  for (const placeholder of [EXAMPLE_KEY, GUIDES_KEY]) replaceIn('.code code', placeholder, key);
  for (const hint of all<HTMLElement>('.try .hint')) hint.textContent = hint.dataset.test ?? '';
}

/** Puts what is true here in the place of an example. */
function replaceIn(selector: string, example: string, own: string): void {
  for (const code of all(selector)) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode } = texts;
      currentNode.nodeValue = (currentNode.nodeValue ?? '').replaceAll(example, own);
    }
  }
}

/**
 * Puts a button on each code block, which copies what it shows; none on a page over plain http, which browsers let copy
 * nothing.
 */
function addCopyButtons(): void {
  if (!window.isSecureContext) return;
  const { copy = '', copied = '', notCopied = '' } = one<HTMLElement>('article').dataset;
  for (const block of all<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = copy;
    button.addEventListener('click', async () => {
      const text = block.querySelector('code')?.textContent ?? '';
      // A browser, or the frame of an editor, may forbid it.
      button.textContent = await navigator.clipboard.writeText(text).then(
        () => copied,
        () => notCopied,
      );
    });
    button.addEventListener('blur', () => {
      button.textContent = copy;
    });
    block.append(button);
  }
}
