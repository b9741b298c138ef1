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
