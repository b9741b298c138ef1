import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { StoredToken, TokenOwner, TokenStore } from '@pts/core/provider';
import type { FailedAnswer } from '@pts/core/tracking/answer';
import { bodyOrFailure, failed, isBlocked } from '../answer/body.ts';
import { type HttpOutcome, type HttpRequest, httpClient } from './http.ts';
import { parseObject, uncutMember } from './json.ts';

/** A provider's account for OAuth 2 client credentials (RFC 6749, 4.4), and the format that this provider expects. */
export type OAuthConfig = {
  /** The name of the provider, and its title in messages. */
  provider: string;
  title: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** How the credentials are sent: HTTP Basic with a form, the form itself, a JSON body, or a request of its own. */
  style: 'basic' | 'form' | 'json' | HttpRequest;
  /** Further fields of the body, for example `scope` or another `grant_type`, and headers. */
  params?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** If the token endpoint answers addresses with too many requests with 403: for how long it blocks them. */
  blocksForSeconds?: number;
  /** The member of the answer that has the token, if it is not `access_token`. */
  member?: string;
  /** The lifetime of a token whose answer has no `expires_in`; 10 minutes by default. */
  lifeSeconds?: number;
  /** Whether a call was refused because of its token (`TokenSource`). */
  isRefused?(outcome: HttpOutcome): boolean;
  store: TokenStore;
  timeoutMs?: number;
  /** How long to wait before looking again for a token that another process fetches. */
  pauseMs?: number;
};

/** An account with its own way to fetch tokens; otherwise as in `OAuthConfig`. */
type TokenSource = Pick<
  OAuthConfig,
  'provider' | 'title' | 'tokenUrl' | 'clientId' | 'clientSecret' | 'store' | 'pauseMs'
> & {
  fetchToken(signal?: AbortSignal): Promise<FetchedToken | FailedAnswer>;
  /** Whether a call was refused because of its token; by default one with status 401. */
  isRefused?(outcome: HttpOutcome): boolean;
};

export type FetchedToken = { value: string; expiresInSeconds: number };

type OAuth = {
  /** Prepares a token, so that the next call leaves at once. If that fails, the call reports why. */
  prepare(signal?: AbortSignal): Promise<void>;
  /**
   * Makes a call with an access token. If a token that was not fetched just now is refused with 401, it is replaced and
   * the call made once more.
   * @returns the outcome of the call; a failure if no token could be fetched: `auth` for wrong credentials.
   */
  call(send: (bearer: string) => Promise<HttpOutcome>, signal?: AbortSignal): Promise<HttpOutcome | FailedAnswer>;
};

/** A token is replaced after this fraction of its lifetime. */
const REFRESH_AFTER = 0.9;
/** When a fetch fails while the old token still works, the next one is made after this. */
const RETRY_SECONDS = 30;
/** The lifetime of a token without `expires_in`. */
const UNSTATED_LIFE_SECONDS = 600;
const LONGEST_LIFE_SECONDS = 30 * 86_400;
const TOKEN = /^[\x21-\x7e]{1,8192}$/;
/** The statuses with which a token endpoint refuses credentials: the rest of the request never changes. */
const REFUSED: readonly number[] = [400, 401, 403];

type Token = { value: string; sealed: string; refreshAtMs: number; isNew: boolean };

/** Access tokens by client credentials. */
export function oauth(config: OAuthConfig): OAuth {
  const send = httpClient({ timeoutMs: config.timeoutMs ?? 10_000 });
  return accessTokens({
    ...config,
    fetchToken: async (signal) => readToken(await send(config.tokenUrl, requestOf(config), signal), config),
  });
}

/** Access tokens of any kind: cached, replaced early, fetched once at a time and shared by the processes. */
export function accessTokens(config: TokenSource): OAuth {
  const { store, pauseMs = 250, isRefused = isUnauthorized } = config;
  const seal = createTokenSeal(config);
  const owner: TokenOwner = { provider: config.provider, credentials: seal.fingerprint };
  let known: Token | null = null;
  let fetching: Promise<Token | FailedAnswer> | null = null;
  /** Why the last preparation got no token: the call after it asks for none again. */
  let unprepared: FailedAnswer | null = null;

  /** One fetch at a time in this process. */
  async function obtain(rejected: Token | null, signal?: AbortSignal): Promise<Token | FailedAnswer> {
    if (known && known.sealed !== rejected?.sealed && Date.now() < known.refreshAtMs) return { ...known, isNew: false };
    fetching ??= shared(rejected?.sealed ?? null, signal).finally(() => {
      fetching = null;
    });
    const token = await fetching;
    if ('value' in token) known = token;
    return token;
  }

  async function shared(rejected: string | null, signal?: AbortSignal): Promise<Token | FailedAnswer> {
    let unusable = rejected;
    while (!signal?.aborted) {
      const { hasLease, token } = await store.take(owner, unusable);
      const value = token && seal.open(token.sealed);
      if (hasLease) {
        const fetched = await fetchAndStore(signal);
        if ('value' in fetched || !token || value === null) return fetched;
        return tokenOf(value, { ...token, refreshInSeconds: RETRY_SECONDS }, false);
      }
      if (token && value !== null) return tokenOf(value, token, false);
      unusable = token?.sealed ?? unusable;
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
    return failed('transient', `${config.title} was not asked for a token: the caller aborted`);
  }

  async function fetchAndStore(signal?: AbortSignal): Promise<Token | FailedAnswer> {
    const fetched = await config.fetchToken(signal);
    if ('kind' in fetched) {
      await store.release(owner);
      return fetched;
    }
    const { value, expiresInSeconds } = fetched;
    const stored = { sealed: seal.close(value), refreshInSeconds: expiresInSeconds * REFRESH_AFTER, expiresInSeconds };
    await store.put(owner, stored);
    return tokenOf(value, stored, true);
  }

  return {
    prepare: async (signal) => {
      const token = await obtain(null, signal);
      unprepared = 'kind' in token ? token : null;
    },
    call: async (callWith, signal) => {
      const token = unprepared ?? (await obtain(null, signal));
      unprepared = null;
      if ('kind' in token) return token;
      const outcome = await callWith(token.value);
      if (token.isNew || !isRefused(outcome)) return outcome;
      const renewed = await obtain(token, signal);
      return 'kind' in renewed ? renewed : callWith(renewed.value);
    },
  };
}

function isUnauthorized(outcome: HttpOutcome): boolean {
  return outcome.kind === 'response' && outcome.status === 401;
}

function tokenOf(value: string, { sealed, refreshInSeconds, expiresInSeconds }: StoredToken, isNew: boolean): Token {
  // One past its time is being replaced by another process: the store is read again a little later.
  const seconds = Math.min(Math.max(refreshInSeconds, 1), expiresInSeconds);
  return { value, sealed, refreshAtMs: Date.now() + seconds * 1000, isNew };
}

function requestOf({ clientId, clientSecret, style, params, headers = {} }: OAuthConfig): HttpRequest {
  if (typeof style === 'object') return style;
  const grant = { grant_type: 'client_credentials', ...params };
  const all = { ...grant, client_id: clientId, client_secret: clientSecret };
  switch (style) {
    case 'basic':
      return { form: grant, basic: { user: clientId, password: clientSecret }, headers };
    case 'form':
      return { form: all, headers };
    case 'json':
      return { json: all, headers };
    default:
      return style satisfies never;
  }
}

/** The token of an answer. It is not read as other texts are: tokens are longer than what is kept of a text. */
function readToken(
  outcome: HttpOutcome,
  { title, blocksForSeconds, member = 'access_token', lifeSeconds = UNSTATED_LIFE_SECONDS }: OAuthConfig,
): FetchedToken | FailedAnswer {
  if (outcome.kind === 'response' && outcome.status === 403 && blocksForSeconds !== undefined) {
    return failed('rate_limited', `${title} was asked for tokens too often (HTTP 403)`, blocksForSeconds);
  }
  if (outcome.kind === 'response' && REFUSED.includes(outcome.status) && !isBlocked(outcome)) {
    return failed(
      'auth',
      `${title} refused the credentials (HTTP ${outcome.status} for a token)${reasonIn(outcome.text)}`,
    );
  }
  const body = bodyOrFailure(outcome, `${title} (token)`, [200, 201]);
  if (typeof body !== 'string') return body;
  const answer = parseObject(body);
  const value = uncutMember(body, member);
  if (typeof value !== 'string' || !TOKEN.test(value)) {
    return failed('transient', `${title} responded to a request for a token without one`);
  }
  const seconds = Number(answer?.expires_in ?? lifeSeconds);
  const life = seconds > 0 ? Math.min(seconds, LONGEST_LIFE_SECONDS) : lifeSeconds;
  return { value, expiresInSeconds: life };
}

/** The message of an OAuth error (RFC 6749, 5.2). */
function reasonIn(text: string): string {
  const answer = parseObject(text);
  const parts = [answer?.error, answer?.error_description].filter((part) => typeof part === 'string');
  return parts.length > 0 ? `: ${parts.join(', ')}` : '';
}

/** Encrypts the tokens of one account for storage. */
type TokenSeal = {
  /** Distinguishes accounts without revealing anything about their credentials. */
  fingerprint: string;
  close(token: string): string;
  /** @returns null for data that was not encrypted with these credentials. */
  open(sealed: string): string | null;
};

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key derived from the client secret: a reader of the database cannot use the tokens, and a process
 * that may use them needs no further secret.
 */
function createTokenSeal(account: {
  provider: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}): TokenSeal {
  const { provider, tokenUrl, clientId, clientSecret } = account;
  const salt = JSON.stringify([provider, tokenUrl, clientId]);
  const derive = (use: string, bytes: number) => Buffer.from(hkdfSync('sha256', clientSecret, salt, use, bytes));
  const key = derive('token encryption', 32);
  return {
    fingerprint: derive('fingerprint', 16).toString('base64url'),
    close: (token) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const ciphertext = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
      const iv = bytes.subarray(0, IV_BYTES);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch {
        return null;
      }
    },
  };
}
