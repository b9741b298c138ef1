import type { Account } from '@pts/db/accounts/accounts';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/** Gives an account a further key, which is told this once. */
export async function addKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id }: Pick<Account, 'id'>,
): Promise<NewKey> {
  return issueKey(db, id, now());
}
