import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { moveElsewhere } from './postgres-elsewhere.ts';
import { canReach, type ServerUser, serverUser } from './server-user.ts';

export type Home = {
  dir: string;
  dataDir: string;
  user: ServerUser | undefined;
  /** `dir` is not the requested folder. */
  isElsewhere: boolean;
};

/**
 * The folder a server lives in. If we are root and the server's user cannot reach `dir` (in root's home), the files
 * go to the system's directory for such data, and `dir` becomes a link to them.
 */
export function openHome(dir: string): Home {
  mkdirSync(dirname(dir), { recursive: true });
  if (!existsSync(dir)) removeHome(dir); // a dangling link
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const real = realpathSync(dir);
  const user = serverUser(join(real, 'data'));
  own(real, user);
  if (canReach(user, real)) return homeIn(real, user, lstatSync(dir).isSymbolicLink());
  return homeIn(moveElsewhere(real), user, true);
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
