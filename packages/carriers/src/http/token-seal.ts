import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts the tokens of one account for storage. */
export type TokenSeal = {
  /** Distinguishes accounts without revealing anything about their credentials. */
  fingerprint: string;
  close(token: string): string;
  /** @returns null for data that was not encrypted with these credentials. */
  open(sealed: string): string | null;
};

const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM under a key derived from the client secret: a reader of the database cannot use the tokens, and a process
 * that may use them needs no further secret.
 */
export function createTokenSeal(account: {
  provider: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
}): TokenSeal {
  const { provider, tokenUrl, clientId, clientSecret } = account;
  const salt = JSON.stringify([provider, tokenUrl, clientId]);
  const derive = (use: string, bytes: number) => Buffer.from(hkdfSync('sha256', clientSecret, salt, use, bytes));
  const key = derive('token encryption', 32);
  return {
    fingerprint: derive('fingerprint', 16).toString('base64url'),
    close: (token) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const ciphertext = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), ciphertext]).toString('base64url');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= IV_BYTES + TAG_BYTES) return null;
      const iv = bytes.subarray(0, IV_BYTES);
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch {
        return null;
      }
    },
  };
}
