import { API_KEY_PATTERN } from '@pts/core/account/api-key';
import { clientNetwork } from '@pts/core/account/client-network';
import { ApiError } from '@pts/core/errors';
import type { KeyHolder } from '@pts/db/accounts';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Limiter } from './limits.ts';

/** How long a key that was found is trusted: a reset or disabled one is refused everywhere within a second. */
const TRUST_MS = 900;
const MOST_CACHED = 10_000;

type FindKeyHolder = (apiKey: string) => Promise<KeyHolder | null>;

/**
 * Tells who sends a request by its X-API-Key header, or Tracking-Api-Key where the first is absent (spec section 5).
 * @throws ApiError `unauthorized` for a key that is missing, malformed, unknown, reset or of a disabled account, and
 *   `too_many_requests` for an address, or a /64 of IPv6, that keeps trying.
 */
export function createAuthenticate(find: FindKeyHolder, limiter: Pick<Limiter, 'takeAuthFailure'>, now: () => number) {
  const cache = new LRUCache<string, { holder: KeyHolder; until: number }>({ max: MOST_CACHED });

  const lookUp = async (key: string): Promise<KeyHolder | null> => {
    const cached = cache.get(key);
    if (cached && cached.until > now()) return cached.holder;
    cache.delete(key);
    // Trust counts from before the look-up: one that takes long must not lengthen it.
    const until = now() + TRUST_MS;
    const holder = await find(key);
    if (!holder) return null;
    cache.set(key, { holder, until });
    return holder;
  };

  return async (request: Request): Promise<KeyHolder> => {
    const key = request.get('X-API-Key') ?? request.get('Tracking-Api-Key') ?? '';
    const holder = API_KEY_PATTERN.test(key) ? await lookUp(key) : null;
    if (holder) return holder;
    if (!(await limiter.takeAuthFailure(clientNetwork(request.ip ?? '')))) {
      throw new ApiError('too_many_requests', {
        text: 'Too many refused API keys from this address. Back off for 120 seconds (Retry-After), and send a valid key.',
      });
    }
    throw new ApiError('unauthorized', { text: explain(key) });
  };
}

function explain(key: string): string {
  if (key === '') return 'The API key is missing. Send it in the X-API-Key header.';
  if (!API_KEY_PATTERN.test(key))
    return 'The API key is malformed: it must be tk_ followed by 48 lowercase hexadecimal characters, without spaces.';
  return 'The API key is not valid: it is wrong or was reset, or its account is disabled.';
}
