import { API_KEY_PATTERN, type Scope } from '@pts/core/account';
import { ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { clientNetwork, isInNetworks } from '@pts/core/networks';
import { toUtcSeconds } from '@pts/core/time';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { createBlockMemory } from './limits/block-memory.ts';
import type { Limiter } from './limits/limits.ts';

/** How long a valid key is cached: a reset or disabled one is refused everywhere within a second. */
const TRUST_MS = 900;
const MAX_CACHED = 10_000;

type FindKeyHolder = (apiKey: string) => Promise<KeyHolder | null>;

/** Whose key a request has. */
export type Authenticator = {
  /**
   * Identifies the sender of a request by its key (`keyOf`; spec section 5).
   * @param beforeLookUp cheap checks that run before the lookup.
   * @throws ServiceError `unauthorized` if the key is missing, malformed, unknown, reset, expired or of a disabled
   *   account, `forbidden` if it may not be used from the sender's network, and `too_many_requests` for an address, or
   *   an IPv6 /64, with too many failures. A repeated key of such an address is refused without a lookup; other keys
   *   are looked up, because one may be valid.
   */
  identify(request: Request, beforeLookUp?: () => void): Promise<KeyHolder>;
  /**
   * Confirms that the key of a request that takes its time is still valid. Costs a lookup only where the cached one is
   * too old.
   * @throws ServiceError `unauthorized` if it has been revoked or has expired, or its account is disabled.
   */
  confirm(request: Request): Promise<KeyHolder>;
};

export type AuthenticatorDeps = {
  find: FindKeyHolder;
  limiter: Pick<Limiter, 'takeAuthFailure'>;
  /** A monotonic clock in milliseconds, for the cache of valid keys. */
  monotonicMs(): number;
  /** The time that keys expire by. */
  now(): Date;
  /** Called for a key that was looked up and may be used: about once a second while it is in use. */
  onUse?: (holder: KeyHolder) => void;
};

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { find, limiter, monotonicMs: now, onUse = () => {} } = deps;
  const cache = new LRUCache<string, { holder: KeyHolder; until: number }>({ max: MAX_CACHED });
  const repeated = createBlockMemory(now);

  const known = (key: string, request: Request): KeyHolder | null => {
    const cached = cache.get(key);
    return cached && cached.until > now() ? usable(cached.holder, request, deps.now()) : null;
  };
  const lookUp = async (key: string, request: Request): Promise<KeyHolder | null> => {
    cache.delete(key);
    // The cache time counts from before the lookup: a slow lookup must not extend it.
    const until = now() + TRUST_MS;
    const holder = await find(key);
    if (!holder) return null;
    cache.set(key, { holder, until });
    onUse(usable(holder, request, deps.now()));
    return holder;
  };

  const identify: Authenticator['identify'] = async (request, beforeLookUp = () => {}) => {
    const key = keyOf(request);
    const isKey = API_KEY_PATTERN.test(key);
    if (isKey) beforeLookUp();
    const trusted = known(key, request);
    if (trusted) return trusted;
    const network = clientNetwork(request.ip ?? '');
    if (isKey && repeated.msLeft(`${network} ${key}`) > 0) throw tooManyFailures();
    const requestedAt = now();
    const holder = isKey ? await lookUp(key, request) : null;
    if (holder) return holder;
    if (await limiter.takeAuthFailure(network)) throw new ServiceError('unauthorized', { text: explain(key, request) });
    // No longer than a valid key is cached: a key that is enabled again works within a second.
    if (isKey) repeated.block(`${network} ${key}`, requestedAt, TRUST_MS);
    throw tooManyFailures();
  };
  const confirm: Authenticator['confirm'] = async (request) => {
    const key = keyOf(request);
    const holder = known(key, request) ?? (await lookUp(key, request));
    if (!holder) throw new ServiceError('unauthorized', { text: message('key_revoked_meanwhile') });
    return holder;
  };
  return { identify, confirm };
}

/** @throws ServiceError if the key has expired, or may not be used from where the request comes from. */
function usable(holder: KeyHolder, request: Request, now: Date): KeyHolder {
  const { expiresAt, networks } = holder.key;
  if (expiresAt !== null && expiresAt <= now)
    throw new ServiceError('unauthorized', { text: message('key_expired', { time: toUtcSeconds(expiresAt) }) });
  if (networks.length > 0 && !isInNetworks(request.ip ?? '', networks))
    throw new ServiceError('forbidden', {
      text: message('key_network', { address: request.ip ?? message('this_address') }),
    });
  return holder;
}

/** @throws ServiceError `forbidden`, which names the scope, if the key lacks it. */
export function requireScope({ key }: KeyHolder, scope: Scope | null): void {
  if (scope === null || key.scopes.includes(scope)) return;
  const scopes = key.scopes.length === 0 ? message('none') : key.scopes;
  throw new ServiceError('forbidden', { text: message('key_scope', { scope, scopes }) });
}

/** The key in the first of these headers that is not empty: X-API-Key, Tracking-Api-Key, Authorization. */
function keyOf(request: Request): string {
  const named = request.get('X-API-Key') || request.get('Tracking-Api-Key');
  return named || /^Bearer (.*)$/i.exec(request.get('Authorization') ?? '')?.[1]?.trim() || '';
}

function tooManyFailures(): ServiceError {
  return new ServiceError('too_many_requests', { text: message('too_many_failures') });
}

function explain(key: string, request: Request): Message {
  const [, scheme] = /^(\w{1,20}) /.exec(request.get('Authorization') ?? '') ?? [];
  if (key === '' && scheme !== undefined) return message('key_in_other_scheme', { scheme });
  if (/^Bearer\s/i.test(key)) return message('key_with_bearer');
  if (key === '') return message('key_missing');
  return message(API_KEY_PATTERN.test(key) ? 'key_invalid' : 'key_malformed');
}
