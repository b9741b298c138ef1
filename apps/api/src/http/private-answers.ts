import type { RequestHandler } from 'express';

/** No cache keeps an answer, and no browser takes it for something else. Public files state how long they may be cached. */
export const PRIVATE = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } as const;

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
