import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removePostgres } from '@pts/embedded/postgres';

export type Files = ReturnType<typeof filesIn>;

/** The files of an installation. */
export function filesIn(dir: string) {
  return {
    postgres: join(dir, 'postgres'),
    demoKey: join(dir, 'demo-key'),
    encryptionKey: join(dir, 'encryption-key'),
    callbackSecret: join(dir, 'callback-secret'),
    sandboxState: join(dir, 'sandbox-state.json'),
    ready: join(dir, 'ready.json'),
    lock: join(dir, 'lock'),
  };
}

/** Whether a folder contains only our files. */
function isOurs(dir: string): boolean {
  const ours = [...Object.values(filesIn(dir)).map((file) => basename(file)), '.gitignore'];
  return readdirSync(dir).every((name) => ours.some((own) => name === own || name.startsWith(`${own}.`)));
}

/**
 * Lets nobody else read the files of an installation, nor those that its processes will write. Started by root, PostgreSQL runs as
 * another user, who must be able to enter the folder.
 */
export function keepPrivate(dir: string): void {
  process.umask(0o077);
  if (isOurs(dir)) chmodSync(dir, process.getuid?.() === 0 ? 0o711 : 0o700);
  // PostgreSQL sets the modes of its own.
  const { postgres: _postgres, ...files } = filesIn(dir);
  for (const file of [...Object.values(files), join(dir, '.gitignore')]) if (existsSync(file)) chmodSync(file, 0o600);
}

/** Keeps data and keys out of git, unless the folder also contains other files. */
export function ignoreInGit(dir: string): void {
  if (isOurs(dir)) writeFileSync(join(dir, '.gitignore'), '*\n');
}

/** Resets an installation. Deletes only our files: the folder may contain others. */
export async function wipe(files: Files, say: (line: string) => void): Promise<void> {
  say('deleting the embedded database and the demo account');
  await removePostgres(files.postgres, say);
  for (const file of [files.demoKey, files.encryptionKey, files.callbackSecret, files.sandboxState, files.ready])
    rmSync(file, { force: true });
}
