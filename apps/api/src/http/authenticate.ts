import { API_KEY_PATTERN, isSessionToken, type KeyGrant, OPERATOR_KEY_PATTERN, type Scope } from '@pts/core/account';
import { ServiceError } from '@pts/core/errors';
import { type Message, message } from '@pts/core/languages/message';
import { clientNetwork, isInNetworks } from '@pts/core/networks';
import { toUtcSeconds } from '@pts/core/time';
import type { KeyHolder } from '@pts/db/accounts/accounts';
import { findOperatorKey, recordOperatorKeyUse } from '@pts/db/accounts/operator-keys';
import { noteKeyUse } from '@pts/service/accounts';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { ApiDeps } from '../deps.ts';
import { createBlockMemory, type Limiter } from './limits/limits.ts';
import type { OperatorHolder } from './operation.ts';

/** How long a valid key is cached: a reset or disabled one is refused everywhere within a second. */
const TRUST_MS = 900;
const MAX_CACHED = 10_000;

/** The keys of accounts, and those of operators: their form, and how others are refused. */
const KEYS = {
  account: {
    pattern: API_KEY_PATTERN,
    name: 'api_key',
    form: 'tk_',
    unknown: 'key_invalid',
    other: OPERATOR_KEY_PATTERN,
    refusal: 'operator_key_instead',
  },
  operator: {
    pattern: OPERATOR_KEY_PATTERN,
    name: 'operator_key',
    form: 'otk_',
    unknown: 'operator_key_invalid',
    other: API_KEY_PATTERN,
    refusal: 'api_key_instead',
  },
} as const;
type KeyKind = (typeof KEYS)[keyof typeof KEYS];

/** The holder of a key of either kind. */
export type Holder = { key: Pick<KeyGrant, 'expiresAt' | 'networks'> & { id: string; memberId?: string | null } };

/** Whose key a request has. */
export type Authenticator<H extends Holder = KeyHolder> = {
  /**
   * Identifies the sender of a request by its key (`keyOf`; spec section 5).
   * @param beforeLookUp cheap checks that run before the lookup.
   * @throws ServiceError `unauthorized` if the key is missing, malformed, unknown, reset, expired or of a disabled
   *   account, `forbidden` if it may not be used from the sender's network or is of the other kind, and
   *   `too_many_requests` for an address, or an IPv6 /64, with too many failures. A repeated key of such an address is
   *   refused without a lookup; other keys are looked up, because one may be valid.
   */
  identify(request: Request, beforeLookUp?: () => void): Promise<H>;
  /**
   * Confirms that the key of a request that takes its time is still valid. Costs a lookup only where the cached one is
   * too old.
   * @throws ServiceError `unauthorized` if it has been revoked or has expired, or its account is disabled.
   */
  confirm(request: Request): Promise<H>;
};

type AuthenticatorDeps<H extends Holder> = {
  /** Which keys these are. Default: those of accounts. */
  kind?: KeyKind;
  /** Whether people can sign in to this installation. If not, tokens of sessions are refused without a lookup. */
  hasSignIn?: boolean;
  find(key: string): Promise<H | null>;
  limiter: Pick<Limiter, 'takeAuthFailure'>;
  /** A monotonic clock in milliseconds, for the cache of valid keys. */
  monotonicMs(): number;
  /** The time that keys expire by. */
  now(): Date;
  /** Called for a key that was looked up and may be used: about once a second while it is in use. */
  onUse?: (holder: H) => void;
};

export function createAuthenticator<H extends Holder>(deps: AuthenticatorDeps<H>): Authenticator<H> {
  const { kind = KEYS.account, hasSignIn = false, find, limiter, monotonicMs: now, onUse = () => {} } = deps;
  const cache = new LRUCache<string, { holder: H; until: number }>({ max: MAX_CACHED });
  const repeated = createBlockMemory(now);

  const known = (key: string, request: Request): H | null => {
    const cached = cache.get(key);
    return cached && cached.until > now() ? usable(cached.holder, request, deps.now()) : null;
  };
  const lookUp = async (key: string, request: Request): Promise<H | null> => {
    cache.delete(key);
    // The cache time counts from before the lookup: a slow lookup must not extend it.
    const until = now() + TRUST_MS;
    const holder = await find(key);
    if (!holder) return null;
    cache.set(key, { holder, until });
    onUse(usable(holder, request, deps.now()));
    return holder;
  };

  const identify: Authenticator<H>['identify'] = async (request, beforeLookUp = () => {}) => {
    const key = keyOf(request);
    if (kind.other.test(key)) throw new ServiceError('forbidden', { text: message(kind.refusal) });
    const isKey = kind.pattern.test(key) && (hasSignIn || !isSessionToken(key));
    if (isKey) beforeLookUp();
    const trusted = known(key, request);
    if (trusted) return trusted;
    const network = clientNetwork(request.ip ?? '');
    if (isKey && repeated.msLeft(`${network} ${key}`) > 0) throw tooManyFailures();
    const requestedAt = now();
    const holder = isKey ? await lookUp(key, request) : null;
    if (holder) return holder;
    if (await limiter.takeAuthFailure(network))
      throw new ServiceError('unauthorized', { text: explain(key, request, kind) });
    // No longer than a valid key is cached: a key that is enabled again works within a second.
    if (isKey) repeated.block(`${network} ${key}`, requestedAt, TRUST_MS);
    throw tooManyFailures();
  };
  const confirm: Authenticator<H>['confirm'] = async (request) => {
    const key = keyOf(request);
    const holder = known(key, request) ?? (await lookUp(key, request));
    if (!holder) throw new ServiceError('unauthorized', { text: message('key_revoked_meanwhile') });
    return holder;
  };
  return { identify, confirm };
}

/** The authenticator of operators' keys. */
export function authenticateOperators(
  ctx: Pick<ApiDeps, 'db' | 'now'>,
  deps: Pick<AuthenticatorDeps<OperatorHolder>, 'limiter' | 'monotonicMs' | 'now'>,
): Authenticator<OperatorHolder> {
  return createAuthenticator({
    ...deps,
    kind: KEYS.operator,
    find: async (given) => {
      const key = await findOperatorKey(ctx.db, given);
      return key && { key };
    },
    onUse: (holder) => noteKeyUse(ctx, holder, recordOperatorKeyUse),
  });
}

/** @throws ServiceError if the key has expired, or may not be used from where the request comes from. */
function usable<H extends Holder>(holder: H, request: Request, now: Date): H {
  const { expiresAt, networks } = holder.key;
  if (expiresAt !== null && expiresAt <= now)
    throw new ServiceError('unauthorized', {
      text:
        typeof holder.key.memberId === 'string'
          ? message('session_ended')
          : message('key_expired', { time: toUtcSeconds(expiresAt) }),
    });
  if (networks.length > 0 && !isInNetworks(request.ip ?? '', networks))
    throw new ServiceError('forbidden', {
      text: message('key_network', { address: request.ip ?? message('this_address') }),
    });
  return holder;
}

/** @throws ServiceError `forbidden`, which names the scope, if the key lacks it. */
export function requireScope({ key }: KeyHolder, scope: Scope | 'operator' | null): void {
  if (scope === null || key.scopes.some((own) => own === scope)) return;
  if (key.memberId) throw new ServiceError('forbidden', { text: message('role_scope', { scope }) });
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

function explain(key: string, request: Request, { pattern, name, form, unknown }: KeyKind): Message {
  const [, scheme] = /^(\w{1,20}) /.exec(request.get('Authorization') ?? '') ?? [];
  const kind = message(name);
  if (key === '' && scheme !== undefined) return message('key_in_other_scheme', { kind, scheme });
  if (/^Bearer\s/i.test(key)) return message('key_with_bearer', { kind });
  if (key === '') return message('key_missing', { kind });
  if (isSessionToken(key)) return message('session_ended');
  return pattern.test(key) ? message(unknown) : message('key_malformed', { kind, form });
}
