import type { Db } from '../connection/client.ts';

/** Encrypts and decrypts with the key that is to be checked. `open` throws when the key is another one. */
export type KeyBox = { seal(text: string): string; open(box: string): string };

/** What the check value is an encryption of. */
const KNOWN_TEXT = 'parcel-tracking-service';
const PAGE = 1000;

/** @returns why a process must not start with this key; null when it may. */
export async function keyRefusal(db: Db, box: KeyBox): Promise<string | null> {
  if (await isInstallationKey(db, box)) return null;
  return (
    "ENCRYPTION_KEY is not the key that this database's webhook secrets are encrypted with. " +
    'Set the key that the installation began with; docs/operations.md says what to do when it is lost.'
  );
}

/**
 * Whether a key is the one that this database's secrets are encrypted with. The first process to ask stores a check value:
 * a constant, encrypted. In a database that is older than the check value the key must first decrypt a stored secret.
 */
async function isInstallationKey(db: Db, box: KeyBox): Promise<boolean> {
  const stored = await db.installation.findUnique({ where: { id: 1 } });
  if (stored) return opens(box, stored.keyCheck);
  if (!(await fitsSecrets(db, box))) return false;
  // Of two processes at once the first one's value counts.
  await db.installation.createMany({ data: [{ keyCheck: box.seal(KNOWN_TEXT) }], skipDuplicates: true });
  const { keyCheck } = await db.installation.findUniqueOrThrow({ where: { id: 1 } });
  return opens(box, keyCheck);
}

/** Whether the key decrypts any stored secret, or there is none. After a lost key older ones stay unreadable for ever. */
async function fitsSecrets(db: Db, box: KeyBox): Promise<boolean> {
  for (let after: string | null = null; ; ) {
    const page: { id: string; secretBox: string }[] = await db.webhook.findMany({
      ...(after === null ? {} : { where: { id: { lt: after } } }),
      select: { id: true, secretBox: true },
      orderBy: { id: 'desc' },
      take: PAGE,
    });
    if (page.some(({ secretBox }) => opens(box, secretBox))) return true;
    const last = page.at(-1);
    if (!last) return after === null;
    after = last.id;
  }
}

function opens(box: KeyBox, sealed: string): boolean {
  try {
    box.open(sealed);
    return true;
  } catch {
    return false;
  }
}
