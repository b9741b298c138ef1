import { enabledAccountOf, findKeyHolder } from '@pts/db/accounts/accounts';
import { openDatabase } from '@pts/db/connection';
import { addKey, createAccount } from '@pts/service/accounts';
import { keepSecret, readSecret } from './kept-secret.ts';

/**
 * The API key of the demo account (plan pro): the stored one, or a new one if that was revoked. Creates the account if the stored
 * key has none in this database.
 */
export async function demoAccountKey(databaseUrl: string, keyFile: string, now: Date): Promise<string> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const kept = readSecret(keyFile);
    if (kept && (await findKeyHolder(db, kept))) return kept;
    const ctx = { db, now: () => now };
    const id = kept && (await enabledAccountOf(db, kept));
    const key = id ? await addKey(ctx, { id }) : (await createAccount(ctx, { name: 'demo', plan: 'pro' })).key;
    return keepSecret(keyFile, key.apiKey);
  } finally {
    await db.$disconnect();
  }
}
