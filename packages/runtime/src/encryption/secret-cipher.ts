import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

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
export function keyIdIn(encrypted: string): string | undefined {
  return encrypted.split('.')[2];
}
