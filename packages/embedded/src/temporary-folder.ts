import { mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux keeps the files of this folder in memory. Containers often limit it to 64 MB. */
const IN_MEMORY = '/dev/shm';
/** Any other folder for temporary files is somebody's choice. */
const DEFAULT = '/tmp';
/** What the servers of a whole test run need, several times over. */
const ENOUGH_BYTES = 4 * 1024 ** 3;

/**
 * Creates a temporary folder for a server whose data nobody keeps: in memory, where there is enough of it. Tests create and
 * drop hundreds of databases with hundreds of files each, which costs a disk's file system more than PostgreSQL itself.
 * A `TMPDIR` other than `/tmp` overrides the choice.
 */
export function createTemporaryFolder(prefix: string): string {
  const parent = tmpdir() === DEFAULT && hasMemory() ? IN_MEMORY : tmpdir();
  return mkdtempSync(join(parent, prefix));
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES && process.availableMemory() >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
