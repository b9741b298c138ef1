import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** The keys in ENCRYPTION_KEY: the first one encrypts, all of them decrypt. */
export type Keyring = SecretCipher & {
  /** The ids of the keys, in their order. An id says nothing about its key. */
  readonly ids: readonly string[];
  /** @returns the id of the key that decrypts it; null if none does. */
  idOf(encrypted: string): string | null;
  /** @returns what `from` derives from the key that decrypts it. @throws if none does. */
  derive<T>(encrypted: string, from: (keyBase64: string) => T): T;
};

/** @param keys each 32 bytes in base64, at least one. */
export function createKeyring(keys: readonly string[]): Keyring {
  const members = keys.map((key) => ({ key, ...createSecretCipher(key) }));
  const [first] = members;
  if (!first) throw new Error('ENCRYPTION_KEY has no key.');
  const open = (encrypted: string) => {
    const member = members.find(({ id }) => id === keyIdIn(encrypted));
    try {
      return member ? { member, secret: member.decrypt(encrypted) } : null;
    } catch {
      return null;
    }
  };
  const openOrThrow = (encrypted: string) => {
    const opened = open(encrypted);
    if (opened) return opened;
    throw new Error(
      `No key in ENCRYPTION_KEY decrypts a stored secret, which was encrypted with the key ${keyIdIn(encrypted)}.`,
    );
  };
  return {
    ids: members.map(({ id }) => id),
    encrypt: first.encrypt,
    decrypt: (encrypted) => openOrThrow(encrypted).secret,
    idOf: (encrypted) => open(encrypted)?.member.id ?? null,
    derive: (encrypted, from) => from(openOrThrow(encrypted).member.key),
  };
}

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_BYTES = 4;

/** Encrypts small secrets for storage, and decrypts them. */
export type SecretCipher = { encrypt(secret: string): string; decrypt(encrypted: string): string };

/**
 * AES-256-GCM under the operator's key. The encrypted form is
 * `v1.<base64url of iv, tag and ciphertext>.<id of the key>`.
 * @param keyBase64 32 bytes in base64 (ENCRYPTION_KEY).
 */
export function createSecretCipher(keyBase64: string): SecretCipher & { readonly id: string } {
  const key = Buffer.from(keyBase64, 'base64');
  const id = Buffer.from(hkdfSync('sha256', key, '', 'key id v1', ID_BYTES)).toString('hex');
  return {
    id,
    encrypt(secret) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url')}.${id}`;
    },
    decrypt(encrypted) {
      const [version, encoded] = encrypted.split('.');
      if (version !== VERSION || !encoded) throw new Error('The stored secret has an unknown format.');
      const bytes = Buffer.from(encoded, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
    },
  };
}

/** The id of the key that an encrypted secret names. */
function keyIdIn(encrypted: string): string | undefined {
  return encrypted.split('.')[2];
}
