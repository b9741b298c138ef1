import { randomBytes } from 'node:crypto';
import { hashApiKey, keyHint, newApiKey } from '@pts/core/account/api-key';
import { insertKey } from '@pts/db/accounts/accounts';
import type { Tx } from '@pts/db/connection/client';
import { freshId } from '@pts/db/connection/ids';

/** A new API key. The key itself is returned only here; only its hash is stored. */
export type NewKey = { keyId: string; apiKey: string; hint: string };

/** Creates a key and stores its hash. */
export async function issueKey(tx: Tx, accountId: string, now: Date): Promise<NewKey> {
  const apiKey = newApiKey(randomBytes(24));
  const [keyId, hint] = [freshId(now), keyHint(apiKey)];
  await insertKey(tx, { id: keyId, accountId, keyHash: hashApiKey(apiKey), hint });
  return { keyId, apiKey, hint };
}
