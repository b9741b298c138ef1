import { type Language, languageOf, setLanguage } from '../i18n/language.ts';
import { checkBuild } from './connection.ts';
import { browser } from './kept.ts';
import { createStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const THEME = 'pts.theme';
const LANGUAGE = 'pts.language';
const BEGUN = 'pts.begun';

export const theme = createStore<Theme>('system');
/** Whether the reader has put the first steps away. */
export const isBegun = createStore(browser.getItem(BEGUN) !== null);

export function setBegun(): void {
  browser.setItem(BEGUN, '1');
  isBegun.set(true);
}

/** Applies what the reader chose earlier in this browser, otherwise what the browser asks for. */
export async function readPreferences(): Promise<void> {
  const kept = browser.getItem(THEME);
  applyTheme(kept === 'light' || kept === 'dark' ? kept : 'system');
  // Without its texts the console is better in English than not at all.
  await setLanguage(languageOf([browser.getItem(LANGUAGE) ?? '', ...navigator.languages])).catch(() =>
    checkBuild({ now: true }),
  );
}

export function chooseTheme(chosen: Theme): void {
  browser.setItem(THEME, chosen);
  applyTheme(chosen);
}

/**
 * Switches to a language. Its texts are missing when the console has a newer build, which a reload then shows in that
 * language.
 * @returns whether the texts are there.
 */
export async function chooseLanguage(chosen: Language): Promise<boolean> {
  browser.setItem(LANGUAGE, chosen);
  try {
    await setLanguage(chosen);
    return true;
  } catch {
    await checkBuild({ now: true });
    return false;
  }
}

function applyTheme(chosen: Theme): void {
  theme.set(chosen);
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
