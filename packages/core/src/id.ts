/**
 * A 24-character hex identifier (spec section 2.3) that sorts by time: 4 bytes of Unix seconds, 8 random bytes.
 * @param random 8 bytes from a cryptographic source.
 */
export function newId(now: Date, random: Uint8Array): string {
  const seconds = Math.floor(now.getTime() / 1000)
    .toString(16)
    .padStart(8, '0');
  return seconds + Buffer.from(random.subarray(0, 8)).toString('hex');
}

export const ID_PATTERN = /^[0-9a-f]{24}$/;

/** The time in an id, to the second, in milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8), 16) * 1000;
}

/** Above all ids. */
export const BEYOND_IDS = 'g';

/** The lowest id of this second: ids of records that are made at a time or later are not lower. */
export function lowestId(at: Date): string {
  const seconds = Math.min(0xffffffff, Math.max(0, Math.floor(at.getTime() / 1000)));
  return seconds.toString(16).padStart(8, '0').padEnd(24, '0');
}
