import { createKeyedBatcher } from '@pts/db/batcher';

/** The window of a key after a count: its requests so far, and the milliseconds until it ends. */
export type Counted = { requests: number; msLeft: number };
/** Counts requests of a key. */
export type Count = (key: string, requests: number) => Promise<Counted>;

/** The most requests that are counted at once. */
const MAX_REQUESTS = 1000;

/**
 * Counts requests of one key together that arrive while the store still counts earlier ones: a busy account costs the
 * store a statement for many requests. Each request gets the state that it would have got alone, in the order of
 * arrival.
 */
export function gathered(count: Count): (key: string) => Promise<Counted> {
  const countOne = createKeyedBatcher({ max: MAX_REQUESTS, concurrency: 1 }, async (key, requests: object[]) => {
    const last = await count(key, requests.length);
    return requests.map((_, place) => ({ ...last, requests: last.requests - (requests.length - 1 - place) }));
  });
  return (key) => countOne(key, {});
}
