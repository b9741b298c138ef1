import { one, root } from './dom.ts';
import { kept } from './kept.ts';

const THEME = 'pts.docs-theme';

/** Switches between light and dark, beginning with what the page shows. */
export function addThemeButton(): void {
  const button = one<HTMLButtonElement>('[data-theme-button]');
  button.hidden = false;
  button.addEventListener('click', () => {
    const systemTheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    const theme = (root().dataset.theme ?? systemTheme) === 'dark' ? 'light' : 'dark';
    root().dataset.theme = theme;
    kept(() => localStorage)?.setItem(THEME, theme);
  });
}
