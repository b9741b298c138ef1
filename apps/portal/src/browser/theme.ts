import { kept } from './kept.ts';

// Runs before the page is painted: the reader's choice, or else that of the system.
const THEME = 'pts.docs-theme';
const chosen = kept(() => localStorage)?.getItem(THEME);
if (chosen) document.documentElement.dataset.theme = chosen;
