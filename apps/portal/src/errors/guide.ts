import type { ErrorName } from '@pts/core/errors';
import type { Language } from '../site/language.ts';
import { en } from './en.ts';
import { zh } from './zh.ts';

/** Of every error, why it occurs and what to do; Markdown of one line. */
export type ErrorGuide = Readonly<Record<ErrorName, { cause: string; fix: string }>>;

export const ERROR_GUIDE: Readonly<Record<Language, ErrorGuide>> = { en, zh };
