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
    const named = keyIdIn(encrypted);
    // The named key first: the others are only for what a release before 0.3.0 has written.
    const order = [...members.filter(({ id }) => id === named), ...members.filter(({ id }) => id !== named)];
    for (const member of order) {
      try {
        return { member, secret: member.decrypt(encrypted) };
      } catch {}
    }
    return null;
  };
  const openOrThrow = (encrypted: string) => {
    const opened = open(encrypted);
    if (opened) return opened;
    const named = keyIdIn(encrypted);
    throw new Error(
      `No key in ENCRYPTION_KEY decrypts a stored secret${named === null ? '' : `, which was encrypted with the key ${named}`}.`,
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
