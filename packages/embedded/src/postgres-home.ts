import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canReach, type ServerUser, serverUser } from './server-user.ts';

export type Home = {
  dir: string;
  dataDir: string;
  user: ServerUser | undefined;
  /** `dir` is not the folder that was asked for. */
  isElsewhere: boolean;
};

/**
 * The folder a server lives in. When we are root and `dir` lies where the server's user cannot go (root's home), the files
 * go to the system's place for such data and `dir` becomes a link to them.
 */
export function openHome(dir: string): Home {
  mkdirSync(dirname(dir), { recursive: true });
  if (!existsSync(dir)) removeHome(dir); // a link to nowhere
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const real = realpathSync(dir);
  const user = serverUser(join(real, 'data'));
  own(real, user);
  if (canReach(user, real)) return homeIn(real, user, lstatSync(dir).isSymbolicLink());
  const moved = elsewhere(real);
  rmSync(moved, { recursive: true, force: true });
  mkdirSync(moved, { recursive: true, mode: 0o700 });
  own(moved, user);
  rmSync(dir, { recursive: true });
  symlinkSync(moved, dir);
  return homeIn(moved, user, true);
}

function homeIn(dir: string, user: ServerUser | undefined, isElsewhere: boolean): Home {
  return { dir, dataDir: join(dir, 'data'), user, isElsewhere };
}

/** Removes a server's files, wherever they are. */
export function removeHome(dir: string): void {
  if (existsSync(dir)) rmSync(realpathSync(dir), { recursive: true, force: true });
  rmSync(dir, { recursive: true, force: true });
}

function own(dir: string, user: ServerUser | undefined): void {
  if (user) chownSync(dir, user.uid, user.gid);
  chmodSync(dir, 0o700);
}

function elsewhere(dir: string): string {
  const base = ['/var/lib', '/var/tmp'].find(writable) ?? tmpdir();
  return join(base, `parcel-tracking-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`);
}

function writable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
