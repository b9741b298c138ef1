import { posix } from 'node:path';
import type { Language } from './language.ts';

/** Where the portal is, below the root of the service. */
export const ROOT = '/docs';

/** The address of a page, by its path in the portal; the start page has none. */
export function addressOf(path: string, language: Language): string {
  return [ROOT, ...(language === 'en' ? [] : [language]), ...(path === '' ? [] : [path])].join('/');
}

/** A link from one address to another that also works where a proxy has put a prefix in front of both. */
export function linkBetween(from: string, to: string): string {
  return posix.join(posix.relative(posix.dirname(from), posix.dirname(to)), posix.basename(to));
}
