import { envelope, SUCCESS_MESSAGE } from '@pts/contract/common';
import { v4Envelope } from '@pts/contract/compat-v4';
import type { FieldError } from '@pts/core/errors';
import { MESSAGE_LANGUAGES, type Message, type MessageLanguage } from '@pts/core/languages/message';
import { type Language, negotiateLanguage } from '@pts/core/languages/texts';
import type { Request, RequestHandler } from 'express';

/** How answers are wrapped. */
export type Envelope = {
  success(data: unknown): object;
  error(number: number, message: Message | string, fields: readonly FieldError[], details?: object): object;
  /** The JSON Schema of an answer around that of its data. */
  schema(data: object): object;
};

/** Spec section 2.1. */
export const V1: Envelope = {
  success: (data) => ({ code: 200, meta: 200, message: SUCCESS_MESSAGE, data }),
  error: (number, message, fields, details = {}) => ({
    code: number,
    meta: number,
    message,
    data: fields.length > 0 ? { errors: fields, ...details } : details,
  }),
  schema: envelope,
};

/** Version 4 of the API family. */
export const V4: Envelope = {
  success: (data) => ({ meta: { code: 200, message: SUCCESS_MESSAGE }, data }),
  error: (code, message, fields) => ({ meta: { code, message }, data: fields.length > 0 ? { errors: fields } : [] }),
  schema: v4Envelope,
};

/**
 * No cache keeps an answer, and no browser takes it for something else, runs or frames it, or passes its address on.
 * Public files state how long they may be cached, pages what they may load.
 */
export const PRIVATE = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** The headers that answers depend on, for caches that store them all the same. */
export const VARY_BY_KEY = 'X-API-Key, Tracking-Api-Key, Authorization, Accept-Language';

/**
 * A page of a list that was read with one entry more than a page has: that one shows whether another page follows.
 * @returns `last`: the entry after which that page begins; null if none follows.
 */
export function pageOf<T>(found: readonly T[], limit: number): { page: T[]; last: T | null } {
  const page = found.slice(0, limit);
  return { page, last: found.length > limit ? (page.at(-1) ?? null) : null };
}

/** Where a request says how it wants its answer. */
export type Asking = Pick<Request, 'query' | 'headers'>;

/**
 * The language that a request asks for with `lang` or `Accept-Language`; null for none of these.
 * @param languages those to choose from: by default all of ours.
 */
export function languageOf<L extends Language = Language>({ query, headers }: Asking, languages?: readonly L[]) {
  const lang = typeof query?.lang === 'string' ? query.lang : undefined;
  return negotiateLanguage(lang, headers['accept-language'], languages);
}

/** The language of messages in the answer to a request. */
export function messageLanguage(request: Asking): MessageLanguage {
  return languageOf(request, MESSAGE_LANGUAGES) ?? 'en';
}

const PRIVATE_HEADERS = Object.entries(PRIVATE);

export const privateAnswers: RequestHandler = (_request, response, next) => {
  for (const [name, value] of PRIVATE_HEADERS) response.setHeader(name, value);
  next();
};

/**
 * Whether a reader has what an ETag names, whatever its Cache-Control says: that is for caches on the way, and `fetch`
 * sends `no-cache` with every If-None-Match of its caller, at which Express's `fresh` gives up.
 */
export function isUnchanged({ headers }: Pick<Request, 'headers'>, tag: string): boolean {
  const known = headers['if-none-match']?.split(',').map(opaque) ?? [];
  return known.includes('*') || known.includes(opaque(tag));
}

/** Without the mark of a weak one, which makes no difference here (RFC 9110, 13.1.2). */
function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
