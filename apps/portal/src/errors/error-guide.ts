import type { ErrorName } from '@pts/core/errors';

/** Of every error, why it occurs and what to do; Markdown of one line. */
export type ErrorGuide = Readonly<Record<ErrorName, { cause: string; fix: string }>>;
