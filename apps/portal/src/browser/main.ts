import { addCopyButtons } from './copy.ts';
import { all, root } from './dom.ts';
import { followOldAddress } from './old-address.ts';
import { rememberTabs, showOwnAddress } from './sample-tabs.ts';
import { addThemeButton } from './theme-button.ts';

/** What the pages can do with a script; without one, they can be read. */
followOldAddress();
addThemeButton();
rememberTabs();
showOwnAddress();
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
