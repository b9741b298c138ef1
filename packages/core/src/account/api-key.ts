import { createHash } from 'node:crypto';

/** `tk_` and 48 lowercase hex characters (spec section 5, rule 2); a test key has `test_` between them. */
export const API_KEY_PATTERN = /^tk_(?:test_)?[0-9a-f]{48}$/;

/** A new API key from 24 random bytes. */
export function newApiKey(random: Uint8Array, { isTest = false }: { isTest?: boolean } = {}): string {
  return `tk_${isTest ? 'test_' : ''}${Buffer.from(random.subarray(0, 24)).toString('hex')}`;
}

/** The stored form of a key. Keys are random, so a plain SHA-256 cannot be reversed by guessing. */
export function hashApiKey(key: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(key).digest());
}

/** The part of a key that can be shown later: its first and last characters. */
export function keyHint(key: string): string {
  const isTest = key.startsWith('tk_test_');
  return `${key.slice(0, isTest ? 12 : 7)}…${key.slice(-4)}`;
}

/** New parcels per UTC month of a test account, which cost nothing. */
export const TEST_QUOTA = 10_000;

/** The maximum number of keys of an account that are not revoked. */
export const MAX_KEYS = 100;
