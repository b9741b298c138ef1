import type { Account } from '@pts/db/accounts/accounts';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/** Adds a key to an account. The key is returned only here. */
export async function addKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id }: Pick<Account, 'id'>,
): Promise<NewKey> {
  return issueKey(db, id, now());
}
