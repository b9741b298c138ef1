import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import type { Language } from './language.ts';
import { pt } from './pt.ts';
import type { Texts } from './table.ts';
import { zh } from './zh.ts';

/** All of our texts. */
export const TEXTS: Readonly<Record<Language, Texts>> = { en, zh, es, fr, de, pt, it, ja, ko, ar };

/** A text with its braces filled in. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w{1,20})\}/g, (braces, name: string) => values[name] ?? braces);
}
