import { readdirSync, rmSync, writeFileSync } from 'node:fs';
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

/** Keeps data and keys out of git, unless the folder also contains other files. */
export function ignoreInGit(dir: string): void {
  const ours = Object.values(filesIn(dir)).map((file) => basename(file));
  const isOurs = (name: string) => ours.some((own) => name === own || name.startsWith(`${own}.`));
  if (readdirSync(dir).every(isOurs)) writeFileSync(join(dir, '.gitignore'), '*\n');
}

/** Resets an installation. Deletes only our files: the folder may contain others. */
export async function wipe(files: Files, say: (line: string) => void): Promise<void> {
  say('deleting the embedded database and the demo account');
  await removePostgres(files.postgres, say);
  for (const file of [files.demoKey, files.encryptionKey, files.callbackSecret, files.sandboxState, files.ready])
    rmSync(file, { force: true });
}
