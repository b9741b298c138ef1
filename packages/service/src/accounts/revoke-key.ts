import { LAST_ADMIN_KEY } from '@pts/contract/account';
import { ServiceError } from '@pts/core/errors';
import { type ListedKey, listKeys, lockKeys, revokeKey as revoke } from '@pts/db/accounts/keys';
import type { ServiceContext } from '../context.ts';

/**
 * Revokes a key of an account, unless no key with the scope `admin` would be left.
 * @returns when it was revoked.
 * @throws ServiceError `not_found` for a key that the account does not have; `conflict` for the last one with that scope.
 */
export async function revokeKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { accountId, id }: { accountId: string; id: string },
): Promise<Date> {
  const at = now();
  await db.$transaction(async (tx) => {
    // Two keys that revoke each other at the same time must not both succeed.
    await lockKeys(tx, accountId);
    const keys = await listKeys(tx, accountId);
    if (!keys.some((key) => key.id === id)) throw noSuchKey();
    if (!keys.some((key) => key.id !== id && isAdmin(key, at)))
      throw new ServiceError('conflict', { text: LAST_ADMIN_KEY });
    await revoke(tx, { id, accountId }, at);
  });
  return at;
}

/** Whether it manages the keys of its account: one of the test account, which an operator may have created, does not. */
function isAdmin({ scopes, expiresAt, isTest }: ListedKey, now: Date): boolean {
  return scopes.includes('admin') && !isTest && (expiresAt === null || expiresAt > now);
}

function noSuchKey(): ServiceError {
  return new ServiceError('not_found', {
    text: 'No such API key, or it is revoked. GET /api/v1/keys lists your keys.',
  });
}
