import type { Language } from '../site/language.ts';
import { en } from './en.ts';
import type { ErrorGuide } from './error-guide.ts';
import { zh } from './zh.ts';

export const ERROR_GUIDE: Readonly<Record<Language, ErrorGuide>> = { en, zh };
