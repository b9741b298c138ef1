import { createSecretCipher, keyIdIn, type SecretCipher } from './secret-cipher.ts';

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
