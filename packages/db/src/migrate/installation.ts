import type { Db } from '../connection/client.ts';
import type { Installation } from '../generated/client.ts';

/** Encrypts and decrypts with the key to check. `decrypt` throws for data of another key. */
export type KeyCipher = { encrypt(text: string): string; decrypt(encrypted: string): string };

/** The plain text of the check value. */
const KNOWN_TEXT = 'parcel-tracking-service';
const PAGE = 1000;

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
 * an encrypted constant. In a database older than the check value, the key must first decrypt a stored secret.
 */
async function openInstallation(db: Db, cipher: KeyCipher): Promise<Installation | null> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (stored) return decrypts(cipher, stored.keyCheck) ? stored : null;
  if (!(await fitsSecrets(db, cipher))) return null;
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

/** Whether the key decrypts any stored secret, or there is none. After a key was lost, older secrets stay unreadable. */
async function fitsSecrets(db: Db, cipher: KeyCipher): Promise<boolean> {
  for (let after: string | null = null; ; ) {
    const page: { id: string; encryptedSecret: string }[] = await db.webhook.findMany({
      ...(after === null ? {} : { where: { id: { lt: after } } }),
      select: { id: true, encryptedSecret: true },
      orderBy: { id: 'desc' },
      take: PAGE,
    });
    if (page.some(({ encryptedSecret }) => decrypts(cipher, encryptedSecret))) return true;
    const last = page.at(-1);
    if (!last) return after === null;
    after = last.id;
  }
}

function decrypts(cipher: Pick<KeyCipher, 'decrypt'>, encrypted: string): boolean {
  try {
    cipher.decrypt(encrypted);
    return true;
  } catch {
    return false;
  }
}
