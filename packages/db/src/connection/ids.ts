import { randomBytes } from 'node:crypto';
import { newId } from '@pts/core/id';

/** A fresh 24-character hex identifier. */
export function freshId(now: Date): string {
  return newId(now, randomBytes(8));
}
