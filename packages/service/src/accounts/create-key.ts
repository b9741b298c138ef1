import { excessOf, MAX_KEYS, readGrant, TEST_QUOTA, type WantedKey } from '@pts/core/account';
import { type Fault, refusal, refusedField, ServiceError } from '@pts/core/errors';
import { type Account, findTestAccount, insertAccount } from '@pts/db/accounts/accounts';
import { type KeyHolder, listKeys, lockKeys } from '@pts/db/accounts/keys';
import { appendAudit } from '@pts/db/audit/audit';
import type { Tx } from '@pts/db/connection';
import { freshId } from '@pts/db/ids';
import type { ServiceContext } from '../context.ts';
import { issueKey, type NewKey } from './key.ts';

/**
 * Creates a key for the account of another key, with no more than that has; a test key is one of its test account, which the first
 * of them creates. The key is returned only here; the audit log has its id, or there is no key.
 * @param ctx.hasTestMode whether this installation has a provider for test accounts.
 * @throws ServiceError `unauthorized` if the other key has just been revoked; `invalid_field`: a network or the end is invalid, or
 *   goes beyond the other key's, there are no test keys here or not with this scope, or the account has the maximum of keys.
 */
export async function createKey(
  { db, hasTestMode, now }: Pick<ServiceContext, 'db' | 'hasTestMode' | 'now'>,
  { account, key }: KeyHolder,
  wanted: WantedKey,
): Promise<NewKey> {
  const at = now();
  const grant = readGrant(wanted, at);
  const isTest = wanted.test === true;
  const faults = [
    ...('faults' in grant ? grant.faults : excessOf(grant, key)),
    ...(isTest ? testFaults(wanted, hasTestMode) : []),
  ];
  if ('faults' in grant || faults.length > 0) throw refusal(faults);
  return db.$transaction(async (tx) => {
    await lockKeys(tx, account.id);
    const keys = await listKeys(tx, account.id);
    // It may have been revoked since the request was authenticated, and must not leave another one behind.
    if (!keys.some(({ id }) => id === key.id)) throw new ServiceError('unauthorized', { text: REVOKED });
    if (keys.length >= MAX_KEYS) throw tooManyKeys();
    const owner = isTest && account.testOf === null ? await testAccountOf(tx, account, at) : account;
    const created = await issueKey(tx, owner.id, at, grant, { isTest: owner.testOf !== null });
    const details = { id: created.id };
    await appendAudit(tx, { actor: `key ${key.id}`, action: 'POST /keys', accountId: account.id, details });
    return created;
  });
}

/** The test account of a live one, whose keys are locked; created if there is none. */
async function testAccountOf(tx: Tx, { id, name }: Account, now: Date): Promise<Account> {
  const found = await findTestAccount(tx, id);
  if (found) return found;
  const given = { name: `${name} (test)`, plan: 'enterprise', quotaOverride: TEST_QUOTA, testOf: id } as const;
  return insertAccount(tx, { id: freshId(now), ...given });
}

function testFaults({ scopes }: WantedKey, hasTestMode: boolean): Fault[] {
  const fault = (field: string, message: string): Fault => ({ field, message, error: 'invalid_field' });
  if (!hasTestMode) return [fault('test', 'must be false: this installation has no test keys')];
  return scopes.includes('admin') ? [fault('scopes', 'must not contain admin: a test key cannot manage keys')] : [];
}

const REVOKED = 'The API key has been revoked: nothing was created.';

function tooManyKeys(): ServiceError {
  return refusedField('scopes', `exceeds the limit of ${MAX_KEYS} keys per account; revoke one first`);
}
