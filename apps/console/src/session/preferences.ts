import { type Language, languageOf, setLanguage } from '../i18n/language.ts';
import { createStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const THEME = 'pts.theme';
const LANGUAGE = 'pts.language';

export const theme = createStore<Theme>('system');

/** Applies what the reader chose earlier in this browser, otherwise what the browser asks for. */
export async function readPreferences(): Promise<void> {
  const kept = localStorage.getItem(THEME);
  applyTheme(kept === 'light' || kept === 'dark' ? kept : 'system');
  await setLanguage(languageOf([localStorage.getItem(LANGUAGE) ?? '', ...navigator.languages]));
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(THEME, chosen);
  applyTheme(chosen);
}

export async function chooseLanguage(chosen: Language): Promise<void> {
  localStorage.setItem(LANGUAGE, chosen);
  await setLanguage(chosen);
}

function applyTheme(chosen: Theme): void {
  theme.set(chosen);
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
