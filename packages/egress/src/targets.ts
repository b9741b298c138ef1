import { refuseUrl, type UrlPolicy } from '@pts/core/url-policy';
import { LRUCache } from 'lru-cache';

export type Target = { refused: string } | { refused: null; origin: string; path: string };

/** Thousands of pushes use the same receiver's address. */
const MAX_CACHED = 2000;

/** Parses and checks receivers' URLs; the results are cached. */
export function createTargets(policy: UrlPolicy): (url: string) => Target {
  const cache = new LRUCache<string, Target>({ max: MAX_CACHED, memoMethod: (url) => read(url, policy) });
  return (url) => cache.memo(url);
}

function read(text: string, policy: UrlPolicy): Target {
  const refused = refuseUrl(text, policy);
  if (refused !== null) return { refused };
  const url = new URL(text);
  return { refused, origin: url.origin, path: `${url.pathname}${url.search}` };
}
