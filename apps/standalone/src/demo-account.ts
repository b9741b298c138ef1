import { findKeyHolder } from '@pts/db/accounts/keys';
import { openDatabase } from '@pts/db/connection/client';
import { createAccount } from '@pts/service/accounts/create';
import { keepSecret, readSecret } from './kept-secret.ts';

/** The API key of the demo account (plan pro). Creates the account if the stored key has none in this database. */
export async function demoAccountKey(databaseUrl: string, keyFile: string, now: Date): Promise<string> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1 });
  try {
    const kept = readSecret(keyFile);
    if (kept && (await findKeyHolder(db, kept))) return kept;
    const { key } = await createAccount({ db, now: () => now }, { name: 'demo', plan: 'pro' });
    return keepSecret(keyFile, key.apiKey);
  } finally {
    await db.$disconnect();
  }
}
