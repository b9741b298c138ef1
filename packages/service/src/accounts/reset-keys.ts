import { FULL_GRANT } from '@pts/core/account';
import type { Account } from '@pts/db/accounts/accounts';
import { lockKeys, revokeKeys } from '@pts/db/accounts/keys';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/** Revokes every key of an account and creates a new one in the same transaction. The key is returned only here. */
export async function resetKeys(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id, testOf = null }: Pick<Account, 'id'> & Partial<Pick<Account, 'testOf'>>,
): Promise<NewKey> {
  const at = now();
  return db.$transaction(async (tx) => {
    await lockKeys(tx, id);
    await revokeKeys(tx, id, at);
    return issueKey(tx, id, at, FULL_GRANT, { isTest: testOf !== null });
  });
}
