import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a given secret or signature with the correct one in constant time. */
export function isSameText(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
