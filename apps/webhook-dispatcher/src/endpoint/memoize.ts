import { LRUCache } from 'lru-cache';

/** Caches the results of a pure function, up to `most` of them. */
export function memoize(max: number, compute: (input: string) => string): (input: string) => string {
  const cache = new LRUCache<string, string>({ max, memoMethod: compute });
  return (input) => cache.memo(input);
}
