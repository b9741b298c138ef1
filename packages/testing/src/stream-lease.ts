import { takeStreamLease } from '@pts/db/accounts/accounts';
import { openDatabase } from '@pts/db/connection';
import { PATIENT } from './database.ts';
import { newAccount } from './factories.ts';

/** Has an account with a running stream: somebody waits for first answers, until its lease ends after half a minute. */
export async function leaseStream(databaseUrl: string, now = new Date()): Promise<void> {
  const db = openDatabase({ url: databaseUrl, poolSize: 1, ...PATIENT });
  try {
    await takeStreamLease(db, { accountId: await newAccount(db, now), max: 1, now });
  } finally {
    await db.$disconnect();
  }
}

/** The same for as long as any test takes. */
export const leaseLongStream = (databaseUrl: string) => leaseStream(databaseUrl, new Date(Date.now() + 86_400_000));
