import { randomFillSync } from 'node:crypto';
import { newId } from '@pts/core/id';

const ID_BYTES = 8;
/** Random bytes are drawn for many ids at once: a call to the generator costs more than the rest of an id. */
const drawn = Buffer.alloc(512 * ID_BYTES);
let used = drawn.length;

/** A fresh 24-character hex identifier. */
export function freshId(now: Date): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += ID_BYTES;
  return newId(now, drawn.subarray(used - ID_BYTES, used));
}
