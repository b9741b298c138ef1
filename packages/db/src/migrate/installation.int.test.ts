import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type OpenTestDatabase, openTestDatabase } from '@pts/testing/database';
import type { Db } from '../connection/client.ts';
import { type KeyCipher, keyRefusal } from './installation.ts';

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
