import { toUtcSeconds } from '@pts/core/time';
import type { Key } from '@pts/db/accounts/accounts';

/** A key without the key itself. */
export function viewKey(
  { id, hint, name, scopes, expiresAt, networks, createdAt }: Omit<Key, 'lastUsedAt'>,
  isTest: boolean,
) {
  return {
    id,
    hint,
    name,
    test: isTest,
    scopes: [...scopes],
    expires_at: expiresAt && toUtcSeconds(expiresAt),
    networks: [...networks],
    created_at: toUtcSeconds(createdAt),
  };
}
