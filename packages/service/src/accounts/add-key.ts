import { readGrant, SCOPES, type WantedKey } from '@pts/core/account';
import { refusal } from '@pts/core/errors';
import type { Account } from '@pts/db/accounts/accounts';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/**
 * Adds a key to an account, for the operator. By default it may do everything. The key is returned only here.
 * @throws ServiceError `invalid_field` for networks or an end that a key cannot have.
 */
export async function addKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { id, testOf = null }: Pick<Account, 'id'> & Partial<Pick<Account, 'testOf'>>,
  wanted: WantedKey = { scopes: SCOPES },
): Promise<NewKey> {
  const at = now();
  const grant = readGrant(wanted, at);
  if ('faults' in grant) throw refusal(grant.faults);
  return issueKey(db, id, at, grant, { isTest: testOf !== null });
}
