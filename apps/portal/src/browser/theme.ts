import { allowed } from './dom.ts';

// Runs before the page is painted: the reader's choice, or else that of the system.
const THEME = 'pts.docs-theme';
const chosen = allowed(() => localStorage)?.getItem(THEME);
if (chosen) document.documentElement.dataset.theme = chosen;
