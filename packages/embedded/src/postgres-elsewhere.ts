import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runningServer } from './postgres-orphan.ts';

const PREFIX = 'parcel-tracking-';
/** The file in a moved folder that names the path of its link. */
const ORIGIN = 'origin';

/** Moves a folder to the system's directory for service data, and leaves a link. @returns the new path. */
export function moveElsewhere(dir: string): string {
  const base = ['/var/lib', '/var/tmp'].find(isWritable) ?? tmpdir();
  removeAbandoned(base);
  const moved = join(base, `${PREFIX}${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`);
  rmSync(moved, { recursive: true, force: true });
  execFileSync('mv', [dir, moved]); // keeps owners, also from one file system to another
  symlinkSync(moved, dir);
  writeFileSync(join(moved, ORIGIN), dir, { mode: 0o600 }); // last: a folder with this file and without its link counts as abandoned
  return moved;
}

/** Users who delete the folder with the link do not know about the moved one. */
function removeAbandoned(base: string): void {
  for (const name of readdirSync(base).filter((entry) => entry.startsWith(PREFIX))) {
    const moved = join(base, name);
    const origin = join(moved, ORIGIN);
    if (!existsSync(origin) || linkTarget(readFileSync(origin, 'utf8')) === moved) continue;
    if (!runningServer(join(moved, 'data'))) rmSync(moved, { recursive: true, force: true });
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
