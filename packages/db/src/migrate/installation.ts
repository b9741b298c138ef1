import type { Db } from '../connection/client.ts';
import type { Installation } from '../generated/client.ts';

/** Encrypts and decrypts with the key to check. `decrypt` throws for data of another key. */
export type KeyCipher = { encrypt(text: string): string; decrypt(encrypted: string): string };

/** The plain text of the check value. */
const KNOWN_TEXT = 'parcel-tracking-service';

/**
 * @param learn gets the record of the installation if its key is right.
 * @returns why a process must not start with this key; null when it may.
 */
export async function keyRefusal(
  db: Db,
  cipher: KeyCipher,
  learn: (installation: Installation) => void = () => {},
): Promise<string | null> {
  const installation = await openInstallation(db, cipher);
  if (installation) {
    learn(installation);
    return null;
  }
  return (
    'ENCRYPTION_KEY does not match the key that encrypted the webhook secrets in this database. ' +
    'Set the original key; docs/operations.md says what to do if it is lost.'
  );
}

/**
 * Its record, if a key is the one that encrypted the secrets of this database. The first process stores a check value:
 * an encrypted constant.
 */
async function openInstallation(db: Db, cipher: KeyCipher): Promise<Installation | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (stored) return decrypts(cipher, stored.keyCheck) ? stored : null;
  // Of concurrent processes, the first one's value counts.
  await db.installation.createMany({ data: [{ keyCheck: cipher.encrypt(KNOWN_TEXT) }], skipDuplicates: true });
  const first = await db.installation.findUniqueOrThrow({ where: { id: 1 } });
  return decrypts(cipher, first.keyCheck) ? first : null;
}

/** Like the check at boot, but changes nothing. @returns null in a database that no process has used yet. */
export async function keyFits(db: Db, cipher: Pick<KeyCipher, 'decrypt'>): Promise<boolean | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  return stored ? decrypts(cipher, stored.keyCheck) : null;
}

function decrypts(cipher: Pick<KeyCipher, 'decrypt'>, encrypted: string): boolean {
  try {
    cipher.decrypt(encrypted);
    return true;
  } catch {
    return false;
  }
}
