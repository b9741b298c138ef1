/** The owner of tokens: a provider, and a fingerprint of the credentials with which they are fetched. */
export type TokenOwner = { provider: string; credentials: string };

/** An access token as it is stored: encrypted by the client, because the store must not be able to use it. */
export type StoredToken = {
  sealed: string;
  /** Seconds until a new one should be fetched, and until this one no longer works; 0 or less when that has passed. */
  refreshInSeconds: number;
  expiresInSeconds: number;
};

/**
 * The access tokens that all processes share. Of all processes that need a new token at the same time, one gets the
 * lease and fetches it; the others wait for it, or keep using the old one while that works.
 */
export type TokenStore = {
  /**
   * The stored token; or the lease, if it should be replaced and no other process is about to.
   * @param rejected a stored token that does not work: it counts as missing.
   * @returns `token` is null if none is stored that still works.
   */
  take(owner: TokenOwner, rejected: string | null): Promise<{ hasLease: boolean; token: StoredToken | null }>;
  /** Stores a new token and ends the lease. */
  put(owner: TokenOwner, token: StoredToken): Promise<void>;
  /** Ends the lease without a new token: the next process that needs one may try. */
  release(owner: TokenOwner): Promise<void>;
};

/**
 * The provider of all parcels of test accounts, and of no others: it plays the stories of the sandbox. Whatever
 * concerns several accounts or providers (routes, pushes, statistics of carriers) leaves it out.
 */
export const TEST_PROVIDER = 'test';
