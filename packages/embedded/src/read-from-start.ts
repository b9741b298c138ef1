import { readSync } from 'node:fs';

/** The first 64 KiB of an open file, as text: what a program has said. */
export function readFromStart(file: number): string {
  const text = Buffer.alloc(64 * 1024);
  return text.toString('utf8', 0, readSync(file, text, 0, text.length, 0));
}
