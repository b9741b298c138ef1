import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The user that the server runs as. Undefined: ours. */
export type ServerUser = { uid: number; gid: number };

/**
 * PostgreSQL refuses to run as root. Nothing is added to the system: the owner of existing files, else a `postgres` user
 * if the machine has one, otherwise `nobody`.
 */
export function serverUser(dataDir: string): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const user = idOf('postgres') ?? idOf('nobody');
  if (!user)
    throw new Error('PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as');
  return user;
}

/** Whether a user can reach a path: a readable file may be in a folder closed to others, such as root's home. */
export function canReach(user: ServerUser | undefined, path: string): boolean {
  if (!user) return true;
  try {
    execFileSync('/bin/sh', ['-c', 'test -r "$1" && test -x "$1"', 'reach', path], {
      ...user,
      cwd: '/',
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

function idOf(name: string): ServerUser | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })),
    );
    return uid && gid ? { uid, gid } : undefined;
  } catch {
    return undefined;
  }
}
