import { MAX_KEYS } from '@pts/core/account/api-key';
import { excessOf, readGrant, type WantedKey } from '@pts/core/account/key-grant';
import type { ServiceError } from '@pts/core/errors';
import { refusal, refusedField } from '@pts/core/faults';
import { type KeyHolder, listKeys, lockKeys } from '@pts/db/accounts/keys';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/**
 * Creates a key for the account of another key, with no more than that has. The key is returned only here.
 * @throws ServiceError `invalid_field`: a network or the end is invalid, or goes beyond the other key's, or
 *   the account has the maximum of keys.
 */
export async function createKey(
  { db, now }: Pick<ServiceContext, 'db' | 'now'>,
  { account, key }: KeyHolder,
  wanted: WantedKey,
): Promise<NewKey> {
  const at = now();
  const grant = readGrant(wanted, at);
  const faults = 'faults' in grant ? grant.faults : excessOf(grant, key);
  if ('faults' in grant || faults.length > 0) throw refusal(faults);
  return db.$transaction(async (tx) => {
    await lockKeys(tx, account.id);
    if ((await listKeys(tx, account.id)).length >= MAX_KEYS) throw tooManyKeys();
    return issueKey(tx, account.id, at, grant);
  });
}

function tooManyKeys(): ServiceError {
  return refusedField('scopes', `exceeds the limit of ${MAX_KEYS} keys per account; revoke one first`);
}
