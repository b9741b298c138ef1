import { randomBytes } from 'node:crypto';
import { FULL_GRANT, hashApiKey, type KeyGrant, keyHint, newApiKey } from '@pts/core/account';
import { insertKey } from '@pts/db/accounts/keys';
import type { Tx } from '@pts/db/connection';
import { freshId } from '@pts/db/ids';

/** A new API key. The key itself is returned only here; only its hash is stored. */
export type NewKey = KeyGrant & { id: string; apiKey: string; hint: string; createdAt: Date };

/** Creates a key and stores its hash. By default, it may do everything. */
export async function issueKey(
  tx: Tx,
  accountId: string,
  now: Date,
  grant: KeyGrant = FULL_GRANT,
  { isTest = false }: { isTest?: boolean } = {},
): Promise<NewKey> {
  const apiKey = newApiKey(randomBytes(24), { isTest });
  const key = { ...grant, id: freshId(now), hint: keyHint(apiKey), createdAt: now };
  await insertKey(tx, { ...key, accountId, keyHash: hashApiKey(apiKey) });
  return { ...key, apiKey };
}
