import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares a given secret or signature with the right one; how long it takes says nothing about either. */
export function isSameText(given: string | undefined, wanted: string): boolean {
  if (given === undefined) return false;
  const [a, b] = [given, wanted].map((text) => createHash('sha256').update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
