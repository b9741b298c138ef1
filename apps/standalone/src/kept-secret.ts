import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

/** Reads a secret from a file with private permissions; null if there is none yet. */
export function readSecret(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

export function keepSecret(file: string, secret: string): string {
  writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

/**
 * The encryption key: the given one, or that of the file. The first one is kept, so that later starts and the commands
 * beside this one have it too; another one never replaces it.
 */
export function keepEncryptionKey(file: string, given: string | undefined, say: (line: string) => void): string {
  const kept = readSecret(file) ?? keepSecret(file, given ?? randomBytes(32).toString('base64'));
  if (given !== undefined && given !== kept) say(`using ENCRYPTION_KEY instead of the key in ${file}`);
  return given ?? kept;
}
