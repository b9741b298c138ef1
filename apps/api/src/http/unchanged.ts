import type { Request } from 'express';

/**
 * Whether a reader has what an ETag names, whatever its Cache-Control says: that is for caches on the way, and `fetch` sends
 * `no-cache` with every If-None-Match of its caller, at which Express's `fresh` gives up.
 */
export function isUnchanged({ headers }: Pick<Request, 'headers'>, tag: string): boolean {
  const known = headers['if-none-match']?.split(',').map(opaque) ?? [];
  return known.includes('*') || known.includes(opaque(tag));
}

/** Without the mark of a weak one, which makes no difference here (RFC 9110, 13.1.2). */
function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
