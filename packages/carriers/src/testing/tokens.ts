import type { StoredToken, TokenOwner, TokenStore } from '@pts/core/provider';

/** A token store for tests of clients, within one process. The real one is that of `packages/db`. */
export function tokensInMemory(): TokenStore & { stored: Map<string, StoredToken> } {
  const stored = new Map<string, StoredToken>();
  const leases = new Set<string>();
  const keyOf = ({ provider, credentials }: TokenOwner) => `${provider} ${credentials}`;
  return {
    stored,
    take: async (owner, rejected) => {
      const key = keyOf(owner);
      const known = stored.get(key) ?? null;
      const token = known?.sealed === rejected ? null : known;
      const hasLease = (token === null || token.refreshInSeconds <= 0) && !leases.has(key);
      if (hasLease) leases.add(key);
      return { hasLease, token };
    },
    put: async (owner, token) => {
      stored.set(keyOf(owner), token);
      leases.delete(keyOf(owner));
    },
    release: async (owner) => void leases.delete(keyOf(owner)),
  };
}
