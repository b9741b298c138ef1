import type { Page } from '@pts/db/deliveries/attempts';

/** How many windows of deliveries are loaded at once for an endpoint. */
const ROUNDS = 4;
/** First attempts that a process loads for all endpoints together: a message is 1 to 2 KB, so 50 MB at most. */
const MAX_LOADED = 16_384;
const MIN_LATE = 4;

/**
 * The page size for an endpoint with this window, given the number of active endpoints: an endpoint that
 * takes little gets small pages, so a thousand of them need as little memory as ten.
 */
export function pageFor(window: number, endpoints: number): Page {
  const fresh = Math.max(1, Math.min(ROUNDS * window, Math.floor(MAX_LOADED / endpoints)));
  return { fresh, late: Math.max(MIN_LATE, Math.floor(fresh / 4)) };
}
