import { randomBytes } from 'node:crypto';
import { readAudit } from '@pts/db/audit';
import { reEncryptRows } from '@pts/db/encryption';
import { keyRefusal } from '@pts/db/readiness';
import { createKeyring } from '@pts/runtime/encryption/keyring';
import { createPageTokens, installationTokenKeys } from '@pts/runtime/encryption/tokens';
import { rotateWebhookSecret } from '@pts/service/webhooks';
import { newAccount, newWebhook } from '@pts/testing/factories';
import { databasePerTest } from '../testing/database-per-test.ts';
import { admin } from '../testing/run.ts';

const newKey = () => randomBytes(32).toString('base64');
const [NEW, OLD] = [newKey(), newKey()];
const older = createKeyring([OLD]);
const both = createKeyring([NEW, OLD]);
const newer = createKeyring([NEW]);
const [NEW_ID = '', OLD_ID = ''] = both.ids;
const now = new Date();
const PAGE = { trackingId: '691f0a3c5d2b4e6f8a9c0d1e', generation: 0 };

const database = databasePerTest(4);
beforeEach(async () => {
  await keyRefusal(database.db, older);
});

const reEncrypt = (keys: string, ...argv: string[]) =>
  database.run(['keys', 're-encrypt', '--json', ...argv], { ENCRYPTION_KEY: keys, USER: 'alice' });

/** Webhooks whose secrets, also replaced ones, are encrypted with the older key. */
async function merchants(count: number): Promise<string> {
  const { db } = database;
  const accountId = await newAccount(db, now);
  for (let n = 0; n < count; n++) {
    const webhook = await newWebhook(db, accountId, now, { encryptedSecret: older.encrypt(`whsec_${n}`) });
    const retiredSecrets = [older.encrypt(`whsec_before_${n}`), older.encrypt('oldest')];
    const encryptedHeaders = older.encrypt(`headers_${n}`);
    await db.webhook.update({
      where: { id: webhook.id },
      data: { retiredSecrets, retiredUntil: [now, now], encryptedHeaders },
    });
  }
  await db.idempotencyKey.create({
    data: {
      accountId,
      key: 'order-1',
      requestHash: Buffer.alloc(32),
      holder: 'a'.repeat(24),
      leasedUntil: now,
      createdAt: now,
      status: 200,
      sealedBody: older.encrypt('{"answer":1}'),
    },
  });
  return accountId;
}

const secrets = async () =>
  (await database.db.webhook.findMany()).map((webhook) =>
    [webhook.encryptedSecret, ...webhook.retiredSecrets, webhook.encryptedHeaders ?? []].flat().map(newer.decrypt),
  );

async function pageToken(keys: readonly string[]): Promise<string> {
  const keyring = createKeyring(keys);
  const tokenKeys = installationTokenKeys(keyring);
  expect(await keyRefusal(database.db, keyring, tokenKeys.learn)).toBeNull();
  return createPageTokens(tokenKeys).seal(PAGE);
}

test('afterwards the new key alone decrypts everything, no link has changed, and the audit log has a line', async () => {
  const accountId = await merchants(205);
  await newWebhook(database.db, accountId, now, { encryptedSecret: older.encrypt('whsec') });
  const link = await pageToken([OLD]);
  const before = JSON.parse((await reEncrypt(`${NEW},${OLD}`, '--dry-run')).stdout);
  expect(before).toEqual({
    ...{ moved: 0, left: 823, undecryptable: 0, dry_run: true },
    values_by_key: { [NEW_ID]: 0, [OLD_ID]: 823 },
  });

  const { code, stdout } = await reEncrypt(`${NEW},${OLD}`);
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    { moved: 207, left: 0, undecryptable: 0, dry_run: false, values_by_key: { [NEW_ID]: 824, [OLD_ID]: 0 } },
  ]);
  expect(new Set((await secrets()).map((each) => each.join()))).toEqual(
    new Set(['whsec', ...Array.from({ length: 205 }, (_, n) => `whsec_${n},whsec_before_${n},oldest,headers_${n}`)]),
  );
  const [answer] = await database.db.idempotencyKey.findMany({ where: { accountId } });
  expect(newer.decrypt(answer?.sealedBody ?? '')).toBe('{"answer":1}');

  expect([await pageToken([NEW]), await pageToken([NEW, OLD])]).toEqual([link, link]);
  expect(await keyRefusal(database.db, older)).toMatch(/^ENCRYPTION_KEY does not match/);
  const entries = [];
  for await (const { actor, action, details } of readAudit(database.db, { since: new Date(0) }))
    entries.push({ actor, action, details });
  expect(entries.at(-1)).toEqual({ actor: 'command alice', action: 'keys re-encrypt', details: {} });
  expect(JSON.stringify([before, stdout, entries])).not.toContain(NEW.slice(0, 12));
});

test('a run that was killed is continued by the next one; until then, both keys are needed', async () => {
  await merchants(205);
  await expect(
    reEncryptRows(database.db, both, () => {
      throw new Error('killed');
    }),
  ).rejects.toThrow('killed');
  expect(await keyRefusal(database.db, newer)).toMatch(/^ENCRYPTION_KEY does not match/);
  expect(JSON.parse((await reEncrypt(`${NEW},${OLD}`, '--dry-run')).stdout)).toMatchObject({ left: 422 });
  expect(JSON.parse((await reEncrypt(`${NEW},${OLD}`)).stdout)).toMatchObject({ moved: 106, left: 0 });
  expect(await secrets()).toHaveLength(205);
});

test('secrets that merchants rotate meanwhile are neither lost nor left behind', async () => {
  const accountId = await merchants(205);
  const ids = (await database.db.webhook.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id);
  const rotations = ids
    .filter((_, n) => n % 10 === 0)
    .map((webhookId) => async () => {
      const context = { db: database.db, secretCipher: older, now: () => new Date() };
      const { secret } = await rotateWebhookSecret(context, { accountId, id: webhookId });
      return [webhookId, secret] as const;
    });
  const [moving, ...rotated] = await Promise.all([
    reEncrypt(`${NEW},${OLD}`),
    ...rotations.map((rotation) => rotation()),
  ]);
  expect(JSON.parse(moving.stdout).undecryptable).toBe(0);
  expect((await reEncrypt(`${NEW},${OLD}`)).code).toBe(0);
  const stored = await database.db.webhook.findMany({ select: { id: true, encryptedSecret: true } });
  const now = new Map(stored.map(({ id, encryptedSecret }) => [id, newer.decrypt(encryptedSecret)]));
  expect(rotated.map(([id]) => [id, now.get(id)])).toEqual(rotated);
});

test('while a process encrypts with the older key, the command fails, and the older key stays needed', async () => {
  await merchants(1);
  const { db } = database;
  await db.$executeRaw`CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.secret_box := OLD.secret_box; RETURN NEW; END'`;
  await db.$executeRaw`CREATE TRIGGER keep BEFORE UPDATE ON webhooks FOR EACH ROW EXECUTE FUNCTION keep()`;
  const { code, stdout } = await admin(['keys', 're-encrypt'], {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: `${NEW},${OLD}`,
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/Values left: 2\. A process still encrypts with an older key\. Restart it/);
  expect(await keyRefusal(db, newer)).toMatch(/^ENCRYPTION_KEY does not match/);
  expect(await keyRefusal(db, both)).toBeNull();
});
