import { MAX_FILE_BYTES } from '@pts/core/imports';

const KIB = 1024;

/**
 * Maximum body sizes in bytes, after decompression. Each is slightly more than its operation needs, to bound the cost
 * of a body.
 */
export const BODY_BYTES = {
  /** A tracking number with few other fields. */
  number: 4 * KIB,
  /** One object with all optional fields: 13.4 KiB if every character takes four bytes. */
  single: 16 * KIB,
  /** A logo of 64 KiB in base64, and the other settings of pages with everything at its maximum. */
  logo: 128 * KIB,
  /** Up to 40 of them. */
  bulk: 256 * KIB,
  /** A JSON list of 10,000 numbers with 50 characters, quotes, a comma and an indented line each. */
  streamJson: 640 * KIB,
  /** A line of a stream: one object. */
  streamLine: 16 * KIB,
  /** All lines of a stream: 10,000 of 1.6 KiB. */
  stream: 16 * KIB * KIB,
  /** A file of an import, which is stored as it arrives. */
  file: MAX_FILE_BYTES,
} as const;

/** `16 KiB`, `16 MiB`. */
export function sizeText(bytes: number): string {
  return bytes % (KIB * KIB) === 0 ? `${bytes / (KIB * KIB)} MiB` : `${bytes / KIB} KiB`;
}
