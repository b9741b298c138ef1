import { refuseUrl, type UrlPolicy } from '@pts/core/webhook/url-policy';

export type Target = { refused: string } | { refused: null; origin: string; path: string };

/** Texts that are remembered: a receiver's address is the same for thousands of pushes. */
const REMEMBERED = 2000;

/** Reads and judges the texts of receivers' addresses, each once while it is remembered. */
export function createTargets(policy: UrlPolicy): (url: string) => Target {
  const remembered = new Map<string, Target>();
  return (url) => {
    const known = remembered.get(url);
    if (known) return known;
    const target = read(url, policy);
    const oldest = remembered.size >= REMEMBERED ? remembered.keys().next() : null;
    if (oldest && !oldest.done) remembered.delete(oldest.value);
    remembered.set(url, target);
    return target;
  };
}

function read(text: string, policy: UrlPolicy): Target {
  const refused = refuseUrl(text, policy);
  if (refused !== null) return { refused };
  const url = new URL(text);
  return { refused, origin: url.origin, path: `${url.pathname}${url.search}` };
}
