import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findKeyHolder } from '@pts/db/accounts/accounts';
import { openDatabase } from '@pts/db/connection';
import { PATIENT, testDatabase } from '@pts/testing/database';
import { demoAccountKey } from './standalone.ts';

test('the demo account is created once per database, also if its key is revoked, and its key file is private', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'pts-demo-'));
  const keyFile = join(dir, 'demo-key');
  const [first, second] = await Promise.all([testDatabase(), testDatabase()]);
  try {
    const key = await demoAccountKey(first.url, keyFile, new Date());
    expect(await demoAccountKey(first.url, keyFile, new Date())).toBe(key);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const db = openDatabase({ url: first.url, poolSize: 1, ...PATIENT });
    const demo = await findKeyHolder(db, key);
    expect(demo).toMatchObject({ account: { name: 'demo', plan: 'pro' } });

    await db.apiKey.updateMany({ data: { revokedAt: new Date() } });
    const renewed = await demoAccountKey(first.url, keyFile, new Date());
    expect(await findKeyHolder(db, renewed)).toMatchObject({ account: { id: demo?.account.id } });
    expect(await demoAccountKey(first.url, keyFile, new Date())).toBe(renewed);

    await db.account.updateMany({ data: { disabledAt: new Date() } });
    expect(await findKeyHolder(db, await demoAccountKey(first.url, keyFile, new Date()))).not.toBeNull();
    await db.$disconnect();
    expect(await demoAccountKey(second.url, keyFile, new Date())).not.toBe(renewed);
  } finally {
    await Promise.all([first.close(), second.close()]);
    rmSync(dir, { recursive: true });
  }
});
