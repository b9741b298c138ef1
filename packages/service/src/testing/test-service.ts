import { randomBytes } from 'node:crypto';
import { parseAllowList } from '@pts/core/url-policy';
import { openDatabase } from '@pts/db/connection';
import { createSecretCipher } from '@pts/runtime/encryption/keyring';
import { PATIENT, testDatabase } from '@pts/testing/database';
import type { ServiceContext } from '../context.ts';

type Context = Pick<ServiceContext, 'db' | 'providers' | 'secretCipher' | 'urlPolicy' | 'retentionDays' | 'now'>;

/** The dependencies of verbs, on a separate database; the test adds everything that leaves the process. */
export async function startTestService(
  now: () => Date,
): Promise<Context & { databaseUrl: string; close(): Promise<void> }> {
  const database = await testDatabase();
  const db = openDatabase({ url: database.url, poolSize: 10, ...PATIENT });
  return {
    databaseUrl: database.url,
    db,
    providers: [],
    secretCipher: createSecretCipher(randomBytes(32).toString('base64')),
    urlPolicy: { allowHttp: false, allowed: parseAllowList([]) },
    retentionDays: 30,
    now,
    close: async () => {
      await db.$disconnect();
      await database.close();
    },
  };
}
