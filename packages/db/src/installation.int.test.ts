import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenTestDatabase, openTestDatabase, queryOnce } from '@pts/testing/database';
import { newAccount, newWebhook } from '@pts/testing/factories';
import type { Db } from './connection.ts';
import { countByKey } from './encryption.ts';
import { type KeyCipher, keyRefusal } from './readiness.ts';

let database: OpenTestDatabase;
let db: Db;
beforeEach(async () => {
  database = await openTestDatabase(5);
  db = database.db;
});
afterEach(() => database.close());

/** AES-256-GCM, as the processes' own; packages do not import each other. */
function newSecret(): KeyCipher {
  const key = randomBytes(32);
  return {
    encrypt: (text) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
    },
    decrypt: (encrypted) => {
      const bytes = Buffer.from(encrypted, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
    },
  };
}

const REFUSED = expect.stringMatching(/^ENCRYPTION_KEY does not match the key that encrypted the webhook secrets/);

test('the first key of an empty database is its key from then on; another one is refused', async () => {
  const [right, wrong] = [newSecret(), newSecret()];
  expect(await keyRefusal(db, right)).toBeNull();
  expect(await keyRefusal(db, wrong)).toEqual(REFUSED);
  expect(await keyRefusal(db, right)).toBeNull();
  expect(await db.installation.count()).toBe(1);
});

test('of two keys at the same moment one wins, for every caller', async () => {
  const boxes = [newSecret(), newSecret()];
  const requested = await Promise.all([...boxes, ...boxes, ...boxes].map((box) => keyRefusal(db, box)));
  const accepted = requested.map((refusal) => refusal === null);
  expect(accepted.filter(Boolean)).toHaveLength(3);
  expect(accepted.slice(0, 2)).toEqual(accepted.slice(2, 4));
  expect(accepted.slice(0, 2)).toEqual(accepted.slice(4, 6));
});

test('what docs/operations.md says to run after a key was lost leaves nothing that only that key decrypts', async () => {
  const lost = newSecret();
  await keyRefusal(db, lost);
  const accountId = await newAccount(db, new Date());
  await newWebhook(db, accountId, new Date(), { encryptedSecret: lost.encrypt('whsec') });
  const answered = { status: 200, sealedBody: lost.encrypt('{}'), createdAt: new Date(), leasedUntil: new Date() };
  await db.idempotencyKey.create({
    data: { accountId, key: 'one', requestHash: Buffer.from('x'), holder: 'x', ...answered },
  });
  const undecryptable = async () => (await countByKey(db, { ...lost, ids: [], idOf: () => null })).lost;
  expect(await undecryptable()).toBe(3);

  const page = readFileSync(join(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const [, statements = ''] = /- \*\*Lost:\*\*[^`]*`(BEGIN; [^`]* COMMIT;)`/.exec(page) ?? [];
  await queryOnce(database.url, statements);
  expect(await undecryptable()).toBe(0);
  expect(await keyRefusal(db, newSecret())).toBeNull();
});

test('the database accepts only one row of it', async () => {
  expect(await keyRefusal(db, newSecret())).toBeNull();
  await expect(db.installation.create({ data: { id: 2, keyCheck: 'x' } })).rejects.toThrow();
});
