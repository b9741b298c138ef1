import type { RequestHandler } from 'express';

/**
 * No cache keeps an answer, and no browser takes it for something else, runs or frames it, or passes its address on. Public files
 * state how long they may be cached, pages what they may load.
 */
export const PRIVATE = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** What answers to a key depend on, for caches that store them all the same. */
export const VARY_BY_KEY = 'X-API-Key, Tracking-Api-Key';

export const privateAnswers: RequestHandler = (_request, response, next) => {
  for (const [name, value] of Object.entries(PRIVATE)) response.setHeader(name, value);
  next();
};

export const varyByKey: RequestHandler = (_request, response, next) => {
  response.setHeader('Vary', VARY_BY_KEY);
  next();
};
